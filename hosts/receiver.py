"""The receiving side of a host: answers negotiation requests and takes in all data sent to its TCP port."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from common.units import BITS_PER_KILOBIT
from hosts import mptcp
from hosts.connection import listening_socket
from hosts.incoming import IncomingConnections
from hosts.message_socket import MessageSocket, explain_bind_error
from hosts.periodic import SAMPLE_INTERVAL_S
from hosts.receiver_negotiation import reply_to
from hosts.receiver_samples import ReceiverSamples
from protocol.any_message import AnyMessage
from protocol.wire import MAX_RATE_KBPS


class Receiver:
    """Takes in connections from :meth:`start` until :meth:`close`.

    Args:
        bind: local IPv4 address.
        port: TCP port for data.
        max_rate_bps: the highest rate to grant one transmission, bit/s at the Ethernet frame; None: the rate it asks for.
        multipath: also take in MPTCP connections, over any of this host's addresses that the sender finds.
        on_failure: called, from another thread, if connections cannot be taken in any more.
        congestion_control: that of the connections, as people write it; None: the system's.
    """

    def __init__(
        self,
        bind: str,
        port: int,
        max_rate_bps: int | None,
        multipath: bool,
        on_failure: Callable[[Exception], None],
        congestion_control: str | None = None,
    ) -> None:
        self._bind, self._port, self._multipath, self._on_failure = bind, port, multipath, on_failure
        self._congestion_control = congestion_control
        self._provide_kbps = MAX_RATE_KBPS if max_rate_bps is None else min(max_rate_bps // BITS_PER_KILOBIT, MAX_RATE_KBPS)
        self._samples = ReceiverSamples()
        self._connections: IncomingConnections | None = None

    def start(self) -> None:
        """Begins to take in connections.

        Raises:
            UserError: the port is taken, the address is not this host's, or the kernel does not have the congestion control.
        """
        try:
            listener = listening_socket(self._bind, self._port, _can_take(self._multipath), self._congestion_control)
        except OSError as error:
            raise explain_bind_error(error, "TCP", self._bind, self._port) from error
        self._connections = IncomingConnections(listener, self._samples.begin, self._samples.end, self._on_failure)
        self._connections.start()

    def answer(self, message: AnyMessage, peer: str, messages: MessageSocket) -> None:
        """Answers a negotiation message of a sender at ``peer`` by the socket it came to."""
        reply = reply_to(message, self._provide_kbps)
        if reply is not None:
            messages.send(reply, peer)

    def record_to(self, path: Path | None, interval_s: float = SAMPLE_INTERVAL_S) -> None:
        """See :meth:`hosts.receiver_samples.ReceiverSamples.record_to`."""
        self._samples.record_to(path, interval_s)

    def close(self) -> None:
        """Closes all connections and completes the samples.

        Raises:
            UserError: the samples could not be written.
        """
        if self._connections is not None:
            self._connections.stop()
        self._samples.record_to(None)


def _can_take(multipath: bool) -> bool:
    reason = mptcp.explain_missing() if multipath else None
    if reason is not None:
        print(f"{reason}: taking plain TCP", file=sys.stderr, flush=True)
    return multipath and reason is None
