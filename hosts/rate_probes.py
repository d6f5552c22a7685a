"""The sender's part of RCP, XCP and HPCC as a state machine: it asks the network every round trip, and keeps to the last answer's rate.

Pure: no sockets, no clock. It is used as :class:`hosts.sender_negotiation.SenderNegotiation` is, and says what it wants in the same words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from common.units import US_PER_S
from hosts.hpcc_window import HpccWindow
from hosts.sender_negotiation import Action, CarryOnAlone, Counters, Phase, Send, SetRate, Timing, rtt_in_range
from protocol.any_message import AnyMessage
from protocol.telemetry import Telemetry, TelemetryType
from protocol.wire import Flags, MessageType, Negotiation, TransmissionId


@dataclass(frozen=True, slots=True)
class Ask:
    """Send a telemetry question to the receiver."""

    message: Telemetry


class Law(Protocol):
    """The content of questions, and the rate that an answer gives."""

    def question(self, of: RateProbes) -> Send | Ask:
        """The next question."""

    def is_answer(self, message: AnyMessage) -> bool:
        """Whether a message answers one."""

    def rate_kbps(self, of: RateProbes, message: AnyMessage) -> int | None:
        """The rate that an answer gives; None: the present one stays."""


@dataclass(frozen=True)
class ToldRate:
    """Routers tell the rate (RCP, XCP).

    Args:
        says_its_rate: each request has the present rate as its minimum, which routers change (XCP); else 0.
    """

    says_its_rate: bool = False

    def question(self, of: RateProbes) -> Send:
        """A request."""
        flags = Flags.NONE if of.phase is Phase.REQUESTING else Flags.RENEGOTIATION
        present_kbps = of.rate_kbps or 0 if self.says_its_rate else 0
        return Send(Negotiation(MessageType.REQUEST, of.id, of.max_kbps, present_kbps, rtt_in_range(of.rtt_us), flags=flags))

    def is_answer(self, message: AnyMessage) -> bool:
        """Success."""
        return isinstance(message, Negotiation) and message.type is MessageType.SUCCESS

    def rate_kbps(self, _of: RateProbes, message: AnyMessage) -> int | None:
        """Its maximum."""
        return message.max_kbps if isinstance(message, Negotiation) else None


@dataclass(frozen=True)
class MeasuredLinks:
    """Routers tell how their links are used, and the sender computes its rate (HPCC)."""

    window: HpccWindow

    def question(self, of: RateProbes) -> Ask:
        """Telemetry without records."""
        return Ask(Telemetry(TelemetryType.QUESTION, of.id))

    def is_answer(self, message: AnyMessage) -> bool:
        """An echo."""
        return isinstance(message, Telemetry) and message.type is TelemetryType.ECHO

    def rate_kbps(self, of: RateProbes, message: AnyMessage) -> int | None:
        """HPCC's; on a way without managed links, the highest."""
        if not isinstance(message, Telemetry):
            return None
        return self.window.rate_kbps(message.hops, of.rtt_us) if message.hops else of.max_kbps


@dataclass
class RateProbes:
    """One transmission's questions.

    Args:
        id: names the transmission.
        max_kbps: the highest rate that the sender can send at, kbit/s, at least 1.
        rtt_us: round-trip time of the path in µs, until the first answer has shown it.
        law: the content of questions, and the rate that an answer gives.
        timing: time-outs and tries, of which those for requests are used.
    """

    id: TransmissionId
    max_kbps: int
    rtt_us: int
    law: Law = field(default_factory=ToldRate)
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

    def start(self, now_s: float) -> list[Action | Ask]:
        """Sends the first request. Only once."""
        if self.phase is not Phase.NEW:
            raise ValueError("a transmission starts once")
        self.phase = Phase.REQUESTING
        return self._ask(now_s)

    def on_message(self, message: AnyMessage, now_s: float) -> list[Action | Ask]:
        """Takes in a message that came from the receiver's address. A message that is no answer to a question is ignored."""
        if message.id != self.id or not self.law.is_answer(message) or self.phase not in (Phase.REQUESTING, Phase.ALLOCATED):
            self.counters.ignored += 1
            return []
        self.counters.successes += 1
        self.phase = Phase.ALLOCATED
        if self._unanswered == 1:  # of a request that was repeated, nobody knows which is answered
            self.rtt_us = rtt_in_range(round((now_s - self._sent_s) * US_PER_S))
        self._unanswered = 0
        self.deadline_s = max(now_s, self._sent_s + self.rtt_us / US_PER_S)
        rate_kbps = self.law.rate_kbps(self, message)
        if rate_kbps is None:
            return []
        self.rate_kbps = min(rate_kbps, self.max_kbps)
        return [SetRate(self.rate_kbps)]

    def on_time(self, now_s: float) -> list[Action | Ask]:
        """Does whatever is due at ``now_s``; harmless if called early."""
        if self.deadline_s is None or now_s < self.deadline_s:
            return []
        if self.phase is Phase.REQUESTING and self._unanswered >= self.timing.tries:
            self.phase, self.deadline_s = Phase.UNANSWERED, None
            return [CarryOnAlone()]
        return self._ask(now_s)

    def end(self) -> list[Action | Ask]:
        """The transmission is over. Nobody has to be told: routers know rates, and no senders."""
        self.phase, self.deadline_s = Phase.ENDED, None
        return []

    def _ask(self, now_s: float) -> list[Action | Ask]:
        self.counters.requests += 1
        self._unanswered += 1
        self._sent_s = now_s
        timeout_s = max(self.timing.first_timeout_rtts * self.rtt_us / US_PER_S, self.timing.first_timeout_min_s)
        self.deadline_s = now_s + timeout_s
        return [self.law.question(self)]
