"""The sender of the paper's variant (Liu et al. 2023, Algorithm 3): hosts/sender_negotiation.py has all of it."""

from __future__ import annotations

from collections.abc import Callable

from hosts.sender_negotiation import Action, Outstanding, SenderNegotiation
from protocol.wire import Adjustment, Flags, Message, MessageType, Negotiation


class PaperSender:
    """The paper's sender, for the messages and deadlines of one transmission; its methods are those of SenderVariant."""

    deadline_s: float | None = None

    def __init__(self, _source_port: int = 0, _destination_port: int = 0) -> None:
        """Its messages do not say which connection they are about."""
        self.token = 0

    def note_rtt(self, of: SenderNegotiation, present_rtt_us: Callable[[], int]) -> None:
        """It keeps to the RTT of the handshake."""

    def before_message(self, _of: SenderNegotiation, _message: Message, _now_s: float) -> list[Action] | None:
        """Every message counts."""
        return None

    def on_success(self, of: SenderNegotiation, message: Negotiation, now_s: float) -> list[Action] | None:
        """Lines 3 and 4."""
        return of.take_success(message, now_s)

    def on_failure(self, of: SenderNegotiation, now_s: float) -> list[Action] | None:
        """Lines 5 and 6."""
        return of.take_failure(now_s)

    def on_reduce(self, of: SenderNegotiation, message: Adjustment, now_s: float) -> list[Action] | None:
        """Lines 10 and 11."""
        return of.take_reduce(message, now_s)

    def on_increase(self, of: SenderNegotiation, message: Adjustment, now_s: float) -> list[Action] | None:
        """Lines 7 to 9."""
        return of.take_increase(message, now_s)

    def on_time(self, _of: SenderNegotiation, _now_s: float) -> list[Action]:
        """Nothing else is ever due."""
        return []

    def before_repeating(self, of: SenderNegotiation, outstanding: Outstanding) -> None:
        """The same message is sent again."""

    def lower(self, of: SenderNegotiation, rate_kbps: int) -> list[Action]:
        """The smaller rate counts."""
        return of.lower_rate(rate_kbps)

    def next_refresh_s(self, of: SenderNegotiation, now_s: float) -> float | None:
        """Every few seconds (decision "refreshes")."""
        return of.regular_refresh_s(now_s)

    def refresh(self, of: SenderNegotiation, now_s: float) -> list[Action]:
        """A request that only keeps what it has (decision "refreshes")."""
        return of.send_refresh(now_s)

    def request(self, of: SenderNegotiation, max_kbps: int, flags: Flags) -> Negotiation:
        """Version 1."""
        return of.plain_request(max_kbps, flags)

    def terminate(self, of: SenderNegotiation) -> Adjustment:
        """Version 1."""
        return Adjustment(MessageType.TERMINATE, of.id, 0)

    def forget_deadlines(self) -> None:
        """There are none."""
