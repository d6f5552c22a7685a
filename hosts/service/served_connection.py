"""One connection of some program that has, or is to have, a negotiated rate."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address
from typing import Protocol

from common.units import BITS_PER_KILOBIT
from hosts import clock, pacing
from hosts.cca.subflow_rates import Ends
from hosts.message_socket import MessageSocket
from hosts.negotiator import Negotiator, SendingChange
from hosts.sender_negotiation import CarryOnAlone, SetRate
from hosts.service.connection_watch import ConnectionEvent
from hosts.service.options import ServiceOptions
from hosts.variants import new_negotiation
from protocol.wire import TransmissionId


class Rates(Protocol):
    """Where the congestion control reads rates (hosts/cca/subflow_rates.py)."""

    def put(self, ends: Ends, bytes_per_s: int) -> None:
        """Sets the rate of a connection, bytes of payload a second."""

    def drop(self, ends: Ends) -> None:
        """Forgets a connection."""


class ServedConnection:
    """Negotiates from :meth:`start` until :meth:`end`.

    Args:
        seen: how it was when it began to send.
        options: of the service.
        messages: the message socket at its local address.
        rates: where its rate goes.
        present_rtt_us: tells its smoothed RTT.
        on_alone: called if nobody answers on its way.
        on_change: called after each change of its rate.
    """

    def __init__(
        self,
        seen: ConnectionEvent,
        options: ServiceOptions,
        messages: MessageSocket,
        rates: Rates,
        present_rtt_us: Callable[[], int],
        on_alone: Callable[[ServedConnection], None],
        on_change: Callable[[ServedConnection], None],
    ) -> None:
        self.seen = seen
        self.rate_bps: int | None = None
        """At the Ethernet frame; None: it has none (yet), 0: it was taken away."""
        self.is_another_way = False
        """Why it goes on alone. True: there are "answers that come another way" (docs/decisions/). False: nobody answers."""
        self.bytes_sent = 0
        """When it was last looked at."""
        self.active_s = clock.now_s()
        """When it was last seen to have sent."""
        self._rates, self._on_alone, self._on_change = rates, on_alone, on_change
        ends = seen.ends
        salt = f"{ends.local_address}:{ends.local_port}>{ends.remote_address}:{ends.remote_port}/{seen.cookie}"
        identity = TransmissionId(clock.random_content_id(salt), int(IPv4Address(ends.remote_address)))
        self._negotiation = new_negotiation(options, identity, seen.rtt_us, (ends.local_port, ends.remote_port))
        self._negotiator = Negotiator(self._negotiation, messages, ends.remote_address, self._apply, present_rtt_us)

    def start(self) -> None:
        """Sends the first request."""
        self._negotiator.start()

    async def end(self) -> None:
        """Terminates its records in the network; the caller decides what it may send then."""
        await self._negotiator.end()

    @property
    def messages(self) -> dict[str, int]:
        """Counts of the messages exchanged."""
        return dict(vars(self._negotiation.counters))

    @property
    def rtt_us(self) -> int:
        """The RTT that its messages carry."""
        return self._negotiation.rtt_us

    def _apply(self, change: SendingChange) -> None:
        if isinstance(change, CarryOnAlone):
            self.rate_bps = None
            self.is_another_way = change.another_way
            self._on_alone(self)
        elif isinstance(change, SetRate):
            self.rate_bps = change.rate_kbps * BITS_PER_KILOBIT
            self._rates.put(self.seen.ends, pacing.payload_bytes_per_s(self.rate_bps, self.seen))
        else:
            self.rate_bps = 0
            self._rates.put(self.seen.ends, pacing.PAUSED_BYTES_PER_S)
        self._on_change(self)
