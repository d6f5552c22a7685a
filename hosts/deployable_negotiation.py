"""The sender's part of the deployable variant (docs/protocol.md): messages of version 2, and rates that are granted in two phases.

On top of hosts/sender_negotiation.py. A success says what the transmission is to have, its target, and how much of it is free already;
until that is all, the sender asks again. It takes no answer but the one to its latest message, so that what it says it sends stays true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hosts.sender_negotiation import Action, CarryOnAlone, Outstanding, Pause, Phase, Send, SenderNegotiation, SetRate
from protocol.deployable_headers import MessageExtension
from protocol.units import US_PER_S
from protocol.wire import MAX_RTT_US, Adjustment, Flags, Message, MessageType, Negotiation
from protocol.wire_v2 import ExtendedAdjustment, ExtendedNegotiation, extension_of

ASK_AGAIN_MIN_S = 0.01
ASK_AGAIN_MAX_S = 1.0
MARKED_ANSWERS = 3
"""So many successes in a row with marks of switches that they have not passed are no accident: one may find a record gone."""
ANSWERS = (MessageType.SUCCESS, MessageType.FAILURE, MessageType.CHALLENGE)


@dataclass
class DeployableNegotiation(SenderNegotiation):
    """One transmission's negotiation.

    Args:
        source_port, destination_port: of the TCP connection that the data goes over.
    """

    source_port: int = 0
    destination_port: int = 0
    token: int = 0
    """What the first switch has told this host (D22), 0 if it has not: whoever speaks for the host next may begin with it (D35)."""

    target_kbps: int = 0
    """What it is to have once the others have slowed down; `rate_kbps` is what it has."""
    _sequence: int = 0
    _ask_deadline_s: float | None = None
    _ask_s: float = 0.0
    _marked_answers: int = 0
    """Successes in a row that have not passed all the switches that their requests have."""

    @property
    def deadline_s(self) -> float | None:
        """As in SenderNegotiation."""
        times = [time for time in (super().deadline_s, self._ask_deadline_s) if time is not None]
        return min(times, default=None)

    def note_rtt(self, rtt_us: int) -> None:
        """The connection's present RTT in µs, 0 if it is not known: what is sent and waited for from now on goes by it (D29)."""
        if rtt_us > 0:
            self.rtt_us = min(rtt_us, MAX_RTT_US)

    def on_message(self, message: Message, now_s: float) -> list[Action]:
        """As in SenderNegotiation. Answers to any message but the latest are ignored, and so is version 1."""
        extension = extension_of(message)
        if extension is None or (message.type in ANSWERS and extension.sequence != self._sequence):
            self.counters.ignored += 1
            return []
        if message.type is MessageType.CHALLENGE and message.id == self.id:
            return self._on_challenge(extension.token, now_s)
        return super().on_message(message, now_s)

    def on_time(self, now_s: float) -> list[Action]:
        """As in SenderNegotiation."""
        actions = super().on_time(now_s)
        if self._ask_deadline_s is not None and now_s >= self._ask_deadline_s:
            self._ask_deadline_s = None
            if self.phase is Phase.ALLOCATED and self._outstanding is None and self.target_kbps > (self.rate_kbps or 0):
                self.counters.renegotiations += 1
                actions += self._request(self.target_kbps, Flags.RENEGOTIATION | Flags.AGAIN, now_s)
        return actions

    def _on_challenge(self, token: int, now_s: float) -> list[Action]:
        """The first switch wants the token with every message: the latest is sent again with it."""
        if token == self.token:
            self.counters.ignored += 1
            return []
        self.token = token
        if self._outstanding is None:
            return self._refresh(now_s)
        self._outstanding.message = self._negotiation(self._outstanding.message.max_kbps, self._outstanding.message.flags)
        self._outstanding.deadline_s = now_s + self._outstanding.timeout_s
        self.counters.requests += 1
        return [Send(self._outstanding.message)]

    def _on_success(self, message: Negotiation, now_s: float) -> list[Action] | None:
        assert isinstance(message, ExtendedNegotiation)
        self._marked_answers = self._marked_answers + 1 if message.extension.token else 0
        if self._marked_answers >= MARKED_ANSWERS:
            return self._go_alone()
        actions = self._take_success(message, now_s)
        if self._marked_answers and self._refresh_deadline_s is not None:
            self._refresh_deadline_s = self._soon(now_s)  # to be sure of it
            if self._ask_deadline_s is not None:
                self._ask_deadline_s = min(self._ask_deadline_s, now_s + self.rtt_us / US_PER_S)
        return actions

    def _go_alone(self) -> list[Action]:
        """What switches have reserved for it they will not confirm: its records would only keep others waiting (D30)."""
        terminates: list[Action] = [*self.end()]
        self.phase = Phase.ANOTHER_WAY
        self.rate_kbps = None
        return [*terminates, CarryOnAlone(another_way=True)]

    def _take_success(self, message: ExtendedNegotiation, now_s: float) -> list[Action] | None:
        is_refresh_answer = self.phase is Phase.ALLOCATED and self._outstanding is None
        if is_refresh_answer:
            self._refresh_tries = 0
            self._refresh_deadline_s = self._next_refresh_s(now_s)
            return self._lower_and_tell(message.max_kbps, now_s)
        before_kbps = self.rate_kbps
        if super()._on_success(message, now_s) is None:
            return None
        assert self.rate_kbps is not None
        self.target_kbps = self.rate_kbps
        granted_kbps = min(message.extension.granted_kbps, self.target_kbps)
        if self._marked_answers:
            granted_kbps = min(granted_kbps, before_kbps or 0)  # switches that it has not passed have not said how much is free there
        self._ask_again_if_there_is_more(granted_kbps, before_kbps or 0, now_s)
        self.rate_kbps = granted_kbps or None
        if granted_kbps:
            return [SetRate(granted_kbps)]
        return [Pause()] if before_kbps is not None else []

    def _ask_again_if_there_is_more(self, granted_kbps: int, before_kbps: int, now_s: float) -> None:
        if granted_kbps >= self.target_kbps:
            self._ask_deadline_s, self._ask_s = None, 0.0
            return
        first_s = max(self.rtt_us / US_PER_S, ASK_AGAIN_MIN_S)
        self._ask_s = first_s if granted_kbps > before_kbps or not self._ask_s else min(2 * self._ask_s, max(first_s, ASK_AGAIN_MAX_S))
        self._ask_deadline_s = now_s + self._ask_s

    def _on_failure(self, now_s: float) -> list[Action] | None:
        if self.phase is Phase.ALLOCATED and self._outstanding is None and self._refresh_tries:
            # The answer to a refresh: a switch has no room for it any more (D31), and the others need not keep any.
            return [*(super()._on_failure(now_s) or []), self._terminate(), self._terminate()]
        if self.phase is Phase.ALLOCATED and self.rate_kbps is not None:
            # No more than it has: that it keeps (D20).
            self.counters.failures += 1
            self._outstanding = None
            self._ask_deadline_s = None
            self.target_kbps = self.rate_kbps
            return []
        self._ask_deadline_s = None
        return super()._on_failure(now_s)

    def _on_reduce(self, message: Adjustment, now_s: float) -> list[Action] | None:
        actions = super()._on_reduce(message, now_s)
        if actions is not None and self._refresh_deadline_s is not None and self._outstanding is None:
            self._refresh_deadline_s = now_s  # others wait for what this gives up
        return actions

    def _on_increase(self, message: Adjustment, now_s: float) -> list[Action] | None:
        if self.phase is Phase.ALLOCATED and self.rate_kbps is not None and message.speed_kbps <= self.target_kbps:
            return None  # it asks for that already
        return super()._on_increase(message, now_s)

    def _on_silence(self, outstanding: Outstanding, now_s: float) -> list[Action]:
        if outstanding.tries < self.timing.tries:
            outstanding.message = self._negotiation(outstanding.message.max_kbps, outstanding.message.flags)
            outstanding.timeout_s = max(outstanding.timeout_s, self._first_timeout_s())
        return super()._on_silence(outstanding, now_s)

    def _lower(self, rate_kbps: int) -> list[Action]:
        self.target_kbps = min(self.target_kbps, rate_kbps)
        if self.rate_kbps is None:
            return []
        return super()._lower(rate_kbps)

    def _lower_and_tell(self, rate_kbps: int, now_s: float) -> list[Action]:
        actions = self._lower(rate_kbps)
        if actions and self._refresh_deadline_s is not None:
            self._refresh_deadline_s = now_s
        return actions

    def _negotiation(self, max_kbps: int, flags: Flags) -> Negotiation:
        plain = super()._negotiation(self.target_kbps if flags & Flags.REFRESH else max_kbps, flags)
        current_kbps = self.rate_kbps or 0
        extension = replace(self._extension(), current_kbps=current_kbps, granted_kbps=current_kbps if flags & Flags.REFRESH else max_kbps)
        return ExtendedNegotiation(
            plain.type, plain.id, plain.max_kbps, plain.min_kbps, plain.rtt_us, flags=plain.flags, extension=extension
        )

    def _terminate(self) -> Send:
        return Send(ExtendedAdjustment(MessageType.TERMINATE, self.id, 0, extension=self._extension()))

    def _extension(self) -> MessageExtension:
        """Of the next message, which has the next number."""
        self._sequence += 1
        return MessageExtension(
            sequence=self._sequence, source_port=self.source_port, destination_port=self.destination_port, token=self.token
        )

    def _forget_timers(self) -> None:
        super()._forget_timers()
        self._ask_deadline_s = None
