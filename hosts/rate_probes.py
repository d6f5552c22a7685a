"""The sender's part of RCP and XCP as a state machine: it asks for its rate anew every round trip, and keeps to the last answer.

Pure: no sockets, no clock. It is used as :class:`hosts.sender_negotiation.SenderNegotiation` is, and says what it wants in the same words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from common.units import US_PER_S
from hosts.sender_negotiation import Action, CarryOnAlone, Counters, Phase, Send, SetRate, Timing, rtt_in_range
from protocol.wire import Flags, Message, MessageType, Negotiation, TransmissionId


@dataclass
class RateProbes:
    """One transmission's questions.

    Args:
        id: names the transmission.
        max_kbps: the highest rate that the sender can send at, kbit/s, at least 1.
        rtt_us: round-trip time of the path in µs, until the first answer has shown it.
        says_its_rate: each request has the present rate as its minimum, which routers change (XCP); else 0.
        timing: time-outs and tries, of which those for requests are used.
    """

    id: TransmissionId
    max_kbps: int
    rtt_us: int
    says_its_rate: bool = False
    timing: Timing = field(default_factory=Timing)

    phase: Phase = Phase.NEW
    rate_kbps: int | None = None
    """The rate that the last answer allows; None before the first one."""
    counters: Counters = field(default_factory=Counters)
    deadline_s: float | None = None
    """When :meth:`on_time` wants to be called next; None: there is nothing to wait for."""
    token: int = 0
    """The host's token, which routers do not ask for."""
    _sent_s: float = 0.0
    _unanswered: int = 0

    def note_rtt(self, present_rtt_us: Callable[[], int]) -> None:
        """Its answers show the RTT."""

    def start(self, now_s: float) -> list[Action]:
        """Sends the first request. Only once."""
        if self.phase is not Phase.NEW:
            raise ValueError("a transmission starts once")
        self.phase = Phase.REQUESTING
        return self._ask(now_s)

    def on_message(self, message: Message, now_s: float) -> list[Action]:
        """Takes in a message that came from the receiver's address. A message that is no answer to a request is ignored."""
        is_answer = message.id == self.id and isinstance(message, Negotiation) and message.type is MessageType.SUCCESS
        if not is_answer or not isinstance(message, Negotiation) or self.phase not in (Phase.REQUESTING, Phase.ALLOCATED):
            self.counters.ignored += 1
            return []
        self.counters.successes += 1
        self.phase = Phase.ALLOCATED
        self.rate_kbps = min(message.max_kbps, self.max_kbps)
        if self._unanswered == 1:  # of a request that was repeated, nobody knows which is answered
            self.rtt_us = rtt_in_range(round((now_s - self._sent_s) * US_PER_S))
        self._unanswered = 0
        self.deadline_s = max(now_s, self._sent_s + self.rtt_us / US_PER_S)
        return [SetRate(self.rate_kbps)]

    def on_time(self, now_s: float) -> list[Action]:
        """Does whatever is due at ``now_s``; harmless if called early."""
        if self.deadline_s is None or now_s < self.deadline_s:
            return []
        if self.phase is Phase.REQUESTING and self._unanswered >= self.timing.tries:
            self.phase, self.deadline_s = Phase.UNANSWERED, None
            return [CarryOnAlone()]
        return self._ask(now_s)

    def end(self) -> list[Action]:
        """The transmission is over. Nobody has to be told: routers know rates, and no senders."""
        self.phase, self.deadline_s = Phase.ENDED, None
        return []

    def _ask(self, now_s: float) -> list[Action]:
        self.counters.requests += 1
        self._unanswered += 1
        self._sent_s = now_s
        timeout_s = max(self.timing.first_timeout_rtts * self.rtt_us / US_PER_S, self.timing.first_timeout_min_s)
        self.deadline_s = now_s + timeout_s
        flags = Flags.NONE if self.phase is Phase.REQUESTING else Flags.RENEGOTIATION
        present_kbps = self.rate_kbps or 0 if self.says_its_rate else 0
        rtt_us = rtt_in_range(self.rtt_us)
        return [Send(Negotiation(MessageType.REQUEST, self.id, self.max_kbps, present_kbps, rtt_us, flags=flags))]
