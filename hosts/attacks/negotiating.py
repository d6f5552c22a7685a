"""A host that negotiates by the rules, or nearly: a transmission of its own, whose data nobody need send."""

from __future__ import annotations

from collections.abc import Iterable

from hosts.sender_negotiation import Action, Phase, Send, SenderNegotiation
from hosts.variants.deployable import DeployableSender
from hosts.variants.paper import PaperSender
from protocol.wire import Adjustment, Message, MessageType, TransmissionId

from .packets import Packets

ASKED_KBPS = 200_000
DATA_PORTS = (40_000, 5001)


class Negotiating:
    """One transmission to ``beyond``, negotiated in both versions of the messages; a network takes one of them for good.

    Args:
        packets: this host's raw sockets.
        address: this host's.
        beyond: the receiver.
        rtt_us: the RTT that it states.
        is_obedient: it heeds reduces.
    """

    def __init__(self, packets: Packets, address: str, beyond: str, rtt_us: int, *, is_obedient: bool = True) -> None:
        self._packets, self._address, self._beyond, self._is_obedient = packets, address, beyond, is_obedient
        identity = TransmissionId.new()
        self._negotiations: tuple[SenderNegotiation, ...] = (
            SenderNegotiation(PaperSender(), identity, ASKED_KBPS, 0, rtt_us),
            SenderNegotiation(DeployableSender(*DATA_PORTS), identity, ASKED_KBPS, 0, rtt_us),
        )

    @property
    def rate_kbps(self) -> int:
        """The rate that it was granted; 0: none."""
        return max(one.rate_kbps or 0 for one in self._negotiations)

    def step(self, now_s: float, messages: Iterable[tuple[str, Message]]) -> None:
        """Takes in the messages that have come, and sends those that are due."""
        heard = [message for address, message in messages if address == self._beyond]
        for one in self._negotiations:
            if one.phase is Phase.NEW:
                self._carry_out(one.start(now_s))
            for message in heard:
                if self._is_obedient or not (isinstance(message, Adjustment) and message.type is MessageType.REDUCE):
                    self._carry_out(one.on_message(message, now_s))
            if one.deadline_s is not None and now_s >= one.deadline_s:
                self._carry_out(one.on_time(now_s))

    def end(self) -> None:
        """It says that it is over."""
        for one in self._negotiations:
            self._carry_out(one.end())

    def _carry_out(self, actions: Iterable[Action]) -> None:
        for action in actions:
            if isinstance(action, Send):
                self._packets.send_message(self._address, self._beyond, action.message)
