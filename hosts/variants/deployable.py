"""The sender of the deployable variant (docs/protocol/deployable.md): messages of version 2, and rates that are granted in two phases.

A success states the target rate of the transmission, and how much of it is free already. The sender asks again until all of it is free.
It takes no answer but the one to its latest message, so that the rate it states stays true.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from common.units import US_PER_S
from hosts.sender_negotiation import Action, CarryOnAlone, Outstanding, Pause, Phase, Send, SenderNegotiation, SetRate
from protocol.deployable_headers import MessageExtension
from protocol.wire import MAX_RTT_US, Adjustment, Flags, Message, MessageType, Negotiation
from protocol.wire_v2 import ExtendedAdjustment, ExtendedNegotiation, extension_of

ASK_AGAIN_MIN_S = 0.01
ASK_AGAIN_MAX_S = 1.0
MARKED_ANSWERS = 3
"""So many successes in a row with marks of switches that they have not passed are no accident: one may find a record gone."""
ANSWERS = (MessageType.SUCCESS, MessageType.FAILURE, MessageType.CHALLENGE)

AfterGrant = Callable[[SenderNegotiation, int, int, float], None]
"""Called with the negotiation, the rate granted and the rate before, in kbit/s, and the time."""


class DeployableSender:
    """The deployable variant's sender, for the messages and deadlines of one transmission; its methods are those of SenderVariant."""

    def __init__(self, source_port: int = 0, destination_port: int = 0, after_grant: AfterGrant | None = None) -> None:
        """``after_grant``: decides when it asks again; by default it asks for the part that it was not granted."""
        self.token = 0
        self.target_kbps = 0
        """The rate that it is to have once the others have slowed down; ``rate_kbps`` of its negotiation is the present one."""
        self.sequence = 0
        """Number of its latest message."""
        self.deadline_s: float | None = None
        """When it asks for the part that was not free."""
        self._source_port, self._destination_port = source_port, destination_port
        self._after_grant = after_grant or self.ask_again_if_there_is_more
        self._ask_s = 0.0
        self._marked_answers = 0
        """Successes in a row that have not passed all the switches that their requests have."""

    def note_rtt(self, of: SenderNegotiation, present_rtt_us: Callable[[], int]) -> None:
        """Messages and deadlines go by it from now on (decision "the present RTT")."""
        rtt_us = present_rtt_us()
        if rtt_us > 0:
            of.rtt_us = min(rtt_us, MAX_RTT_US)

    def before_message(self, of: SenderNegotiation, message: Message, now_s: float) -> list[Action] | None:
        """Answers to any message but the latest are ignored, and so is version 1."""
        extension = extension_of(message)
        if extension is None or (message.type in ANSWERS and extension.sequence != self.sequence):
            of.counters.ignored += 1
            return []
        if message.type is MessageType.CHALLENGE and message.id == of.id:
            return self._on_challenge(of, extension.token, now_s)
        return None

    def on_time(self, of: SenderNegotiation, now_s: float) -> list[Action]:
        """It asks for the part that was not free."""
        if self.deadline_s is None or now_s < self.deadline_s:
            return []
        self.deadline_s = None
        if of.phase is not Phase.ALLOCATED or of.outstanding is not None or self.target_kbps <= (of.rate_kbps or 0):
            return []
        of.counters.renegotiations += 1
        return of.send_request(self.target_kbps, Flags.RENEGOTIATION | Flags.AGAIN, now_s)

    def _on_challenge(self, of: SenderNegotiation, token: int, now_s: float) -> list[Action]:
        """The first switch wants the token with every message: the latest is sent again with it."""
        if token == self.token:
            of.counters.ignored += 1
            return []
        self.token = token
        if of.outstanding is None:
            return of.variant.refresh(of, now_s)
        of.outstanding.message = self.request(of, of.outstanding.message.max_kbps, of.outstanding.message.flags)
        of.outstanding.deadline_s = now_s + of.outstanding.timeout_s
        of.counters.requests += 1
        return [Send(of.outstanding.message)]

    def on_success(self, of: SenderNegotiation, message: Negotiation, now_s: float) -> list[Action] | None:
        """It takes in its target and the part of it that is free."""
        assert isinstance(message, ExtendedNegotiation)
        self._marked_answers = self._marked_answers + 1 if message.extension.token else 0
        if self._marked_answers >= MARKED_ANSWERS:
            return self._go_alone(of)
        actions = self._take_success(of, message, now_s)
        if self._marked_answers and of.refresh_deadline_s is not None:
            of.refresh_deadline_s = of.soon_s(now_s)  # to be sure of it
            if self.deadline_s is not None:
                self.deadline_s = min(self.deadline_s, now_s + of.rtt_us / US_PER_S)
        return actions

    def _go_alone(self, of: SenderNegotiation) -> list[Action]:
        """Where there are "answers that come another way", reserves are not confirmed, and records would only keep others waiting."""
        terminates: list[Action] = [*of.end()]
        of.phase = Phase.ANOTHER_WAY
        of.rate_kbps = None
        return [*terminates, CarryOnAlone(another_way=True)]

    def _take_success(self, of: SenderNegotiation, message: ExtendedNegotiation, now_s: float) -> list[Action] | None:
        is_refresh_answer = of.phase is Phase.ALLOCATED and of.outstanding is None
        if is_refresh_answer:
            of.refresh_tries = 0
            of.refresh_deadline_s = of.variant.next_refresh_s(of, now_s)
            return self._lower_and_tell(of, message.max_kbps, now_s)
        before_kbps = of.rate_kbps
        if of.take_success(message, now_s) is None:
            return None
        assert of.rate_kbps is not None
        self.target_kbps = of.rate_kbps
        granted_kbps = min(message.extension.granted_kbps, self.target_kbps)
        if self._marked_answers:
            granted_kbps = min(granted_kbps, before_kbps or 0)  # switches that it has not passed have not said how much is free there
        self._after_grant(of, granted_kbps, before_kbps or 0, now_s)
        of.rate_kbps = granted_kbps or None
        if granted_kbps:
            return [SetRate(granted_kbps)]
        return [Pause()] if before_kbps is not None else []

    def ask_again_if_there_is_more(self, of: SenderNegotiation, granted_kbps: int, before_kbps: int, now_s: float) -> None:
        """Set the deadline by which it asks for the part not granted: an RTT at first, then twice as long each time."""
        if granted_kbps >= self.target_kbps:
            self.deadline_s, self._ask_s = None, 0.0
            return
        first_s = max(of.rtt_us / US_PER_S, ASK_AGAIN_MIN_S)
        self._ask_s = first_s if granted_kbps > before_kbps or not self._ask_s else min(2 * self._ask_s, max(first_s, ASK_AGAIN_MAX_S))
        self.deadline_s = now_s + self._ask_s

    def on_failure(self, of: SenderNegotiation, now_s: float) -> list[Action] | None:
        """A renegotiation that is refused leaves the rate it has (decision "Mins are kept")."""
        if of.phase is Phase.ALLOCATED and of.outstanding is None and of.refresh_tries:
            # The answer to a refresh: "Mins of a link that gets slower". A switch has no room for it, and the others need not keep any.
            return [*(of.take_failure(now_s) or []), of.send_terminate(), of.send_terminate()]
        if of.phase is Phase.ALLOCATED and of.rate_kbps is not None:
            of.counters.failures += 1
            of.outstanding = None
            self.deadline_s = None
            self.target_kbps = of.rate_kbps
            return []
        self.deadline_s = None
        return of.take_failure(now_s)

    def on_reduce(self, of: SenderNegotiation, message: Adjustment, now_s: float) -> list[Action] | None:
        """It obeys, and says so at once: others wait for the rate it gives up."""
        actions = of.take_reduce(message, now_s)
        if actions is not None and of.refresh_deadline_s is not None and of.outstanding is None:
            of.refresh_deadline_s = now_s
        return actions

    def on_increase(self, of: SenderNegotiation, message: Adjustment, now_s: float) -> list[Action] | None:
        """It asks for more, unless it does already."""
        if of.phase is Phase.ALLOCATED and of.rate_kbps is not None and message.speed_kbps <= self.target_kbps:
            return None
        return of.take_increase(message, now_s)

    def before_repeating(self, of: SenderNegotiation, outstanding: Outstanding) -> None:
        """The repeated request is a new message, with present values."""
        outstanding.message = self.request(of, outstanding.message.max_kbps, outstanding.message.flags)
        outstanding.timeout_s = max(outstanding.timeout_s, of.first_timeout_s())

    def lower(self, of: SenderNegotiation, rate_kbps: int) -> list[Action]:
        """Its target becomes lower as well."""
        self.target_kbps = min(self.target_kbps, rate_kbps)
        if of.rate_kbps is None:
            return []
        return of.lower_rate(rate_kbps)

    def _lower_and_tell(self, of: SenderNegotiation, rate_kbps: int, now_s: float) -> list[Action]:
        actions = self.lower(of, rate_kbps)
        if actions and of.refresh_deadline_s is not None:
            of.refresh_deadline_s = now_s
        return actions

    def next_refresh_s(self, of: SenderNegotiation, now_s: float) -> float | None:
        """Every few seconds (decision "refreshes")."""
        return of.regular_refresh_s(now_s)

    def refresh(self, of: SenderNegotiation, now_s: float) -> list[Action]:
        """A request that only keeps what it has (decision "refreshes")."""
        return of.send_refresh(now_s)

    def request(self, of: SenderNegotiation, max_kbps: int, flags: Flags) -> Negotiation:
        """Version 2, with the rate it sends at most."""
        is_refresh = bool(flags & Flags.REFRESH)
        plain = of.plain_request(self.target_kbps if is_refresh else max_kbps, flags)
        current_kbps = of.rate_kbps or 0
        extension = replace(self._extension(), current_kbps=current_kbps, granted_kbps=current_kbps if is_refresh else max_kbps)
        return ExtendedNegotiation(
            plain.type, plain.id, plain.max_kbps, plain.min_kbps, plain.rtt_us, flags=plain.flags, extension=extension
        )

    def terminate(self, of: SenderNegotiation) -> Adjustment:
        """Version 2."""
        return ExtendedAdjustment(MessageType.TERMINATE, of.id, 0, extension=self._extension())

    def _extension(self) -> MessageExtension:
        """Of the next message, which has the next number."""
        self.sequence += 1
        return MessageExtension(
            sequence=self.sequence, source_port=self._source_port, destination_port=self._destination_port, token=self.token
        )

    def forget_deadlines(self) -> None:
        """It asks for nothing any more."""
        self.deadline_s = None
