"""Options of the host service, for every connection."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from common.units import BITS_PER_KILOBIT
from hosts.plan import NODECTL
from protocol.variant import VariantName
from protocol.wire import MAX_RATE_KBPS

IDLE_S = 1.0
"""A connection that has sent nothing for so long gives its rate back."""

ALONE = "cubic"


class FirstRtt(StrEnum):
    """How a connection sends until it has a rate."""

    WAIT = "wait"
    """As the paper: nothing, but for the one packet a round trip that shows that it wants to send."""

    INITIAL_WINDOW = "initial_window"
    """The system's initial window at once, and as much each round trip; the negotiation goes on beside it."""


@dataclass(frozen=True)
class ServiceOptions:
    """See the command line (``python -m hosts.service serve --help``). Rates in bit/s at the Ethernet frame.

    Attributes:
        addresses: local addresses at which messages are exchanged; empty: all of this host's.
        first_rtt: how a connection sends before it has a rate.
        variant: which Nodectl the network has.
        min_rate_bps, max_rate_bps: the lowest rate that each connection accepts and the highest that it asks for; None: all there is.
        grants_bps: the highest rate granted to each transmission to this host; None: the rate it asks for.
        scheme: congestion control that keeps to the rates: `nodectl`, with constants.
        alone: congestion control of connections that nobody answers.
        idle_s: a connection that has sent nothing for so long gives its rate back.
        refreshes: keep the records in the switches alive.
    """

    addresses: tuple[str, ...] = ()
    first_rtt: FirstRtt = FirstRtt.INITIAL_WINDOW
    variant: VariantName = VariantName.PAPER
    min_rate_bps: int = 0
    max_rate_bps: int | None = None
    grants_bps: int | None = None
    scheme: str = NODECTL
    alone: str = ALONE
    idle_s: float = IDLE_S
    refreshes: bool = True

    @property
    def min_rate_kbps(self) -> int:
        """Lowest rate to be accepted, kbit/s, rounded up."""
        return -(-self.min_rate_bps // BITS_PER_KILOBIT)

    @property
    def max_rate_kbps(self) -> int:
        """Highest rate to ask for, kbit/s, rounded down but not below the minimum."""
        return _kbps(self.max_rate_bps) if self.max_rate_bps is None else max(_kbps(self.max_rate_bps), self.min_rate_kbps, 1)

    @property
    def provide_kbps(self) -> int:
        """Highest rate granted to one transmission to this host, kbit/s."""
        return _kbps(self.grants_bps)


def _kbps(rate_bps: int | None) -> int:
    return MAX_RATE_KBPS if rate_bps is None else min(rate_bps // BITS_PER_KILOBIT, MAX_RATE_KBPS)
