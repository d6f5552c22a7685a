"""The sender's part of the negotiation (Liu et al. 2023, Algorithm 3, and the decision "refreshes") as a state machine.

This module treats messages and deadlines as the paper does. The variant (hosts/variants) is asked first, and uses as much of this as it
wants.

Pure: no sockets, no clock. Time comes in with every call, and every call returns what is to be done. The caller delivers
only messages from the receiver's address and calls :meth:`SenderNegotiation.on_time` at ``deadline_s``::

    actions = negotiation.start(now)
    ...
    actions = negotiation.on_message(message, now)
    actions = negotiation.on_time(now)          # when negotiation.deadline_s has come
    actions = negotiation.end()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol

from common.units import US_PER_S
from protocol.any_message import AnyMessage
from protocol.constants import REFRESH_INTERVAL_S
from protocol.telemetry import Telemetry
from protocol.wire import MAX_RTT_US, Adjustment, Flags, Message, MessageType, Negotiation, TransmissionId


class Phase(Enum):
    """How far a transmission has come."""

    NEW = auto()
    REQUESTING = auto()
    """The first request is out; no rate yet."""
    WAITING = auto()
    """A switch or the receiver refused; another request follows."""
    ALLOCATED = auto()
    """There is a rate (a renegotiation may be under way)."""
    UNANSWERED = auto()
    """Nobody answered; the transmission goes on without Nodectl."""
    ANOTHER_WAY = auto()
    """Answers come back another way than requests go; the same (decision "answers that come another way")."""
    REFUSED = auto()
    """A switch or the receiver refused, and there is another path to ask: nothing more is asked here."""
    ENDED = auto()


@dataclass(frozen=True, slots=True)
class Send:
    """Send ``message`` to the receiver."""

    message: Message


@dataclass(frozen=True, slots=True)
class SetRate:
    """Send data at ``rate_kbps`` (at the Ethernet frame) from now on; it may be the first rate or a new one."""

    rate_kbps: int


@dataclass(frozen=True, slots=True)
class Pause:
    """The rate was taken away: send no data until the next :class:`SetRate`."""


@dataclass(frozen=True, slots=True)
class CarryOnAlone:
    """Nobody answered, or answers do not pass the switches that requests pass: go on with the system's congestion control."""

    another_way: bool = False


@dataclass(frozen=True, slots=True)
class AskElsewhere:
    """Refused, before anything was sent: negotiate over another path."""


Action = Send | SetRate | Pause | CarryOnAlone | AskElsewhere


@dataclass(frozen=True, slots=True)
class Timing:
    """When messages are repeated. RTT multiples follow the path; floors cover hosts that are slow to answer."""

    first_timeout_rtts: float = 3.0
    first_timeout_min_s: float = 0.1
    timeout_max_s: float = 0.4
    tries: int = 10
    """Requests sent before the sender concludes that nobody answers; the time-out doubles with each. With so many, a network that
    loses one message in twenty on each of eight links (a third of questions or answers) is given up on once in 40,000 times."""
    wait_first_s: float = 0.5
    wait_max_s: float = 4.0
    """After a failure; doubles with each failure in a row."""
    refresh_interval_s: float | None = REFRESH_INTERVAL_S
    """None: records are never refreshed, neither regularly nor after a reduce (without the decision "refreshes")."""
    refresh_after_reduce_rtts: float = 1.0
    refresh_tries: int = 4
    """A refresh without an answer is repeated so often; the next regular one follows in any case."""

    def next_wait_s(self, before_s: float) -> float:
        """How long to wait after one more failure in a row.

        Args:
            before_s: after the failure before; 0: there was none.
        """
        return min(before_s * 2 or self.wait_first_s, self.wait_max_s)


@dataclass
class Counters:
    """Counts of messages, for the summary."""

    requests: int = 0
    renegotiations: int = 0
    refreshes: int = 0
    successes: int = 0
    failures: int = 0
    reduces: int = 0
    increases: int = 0
    ignored: int = 0


@dataclass
class Outstanding:
    """A request that has not been answered yet."""

    message: Negotiation
    tries: int
    timeout_s: float
    deadline_s: float


def rtt_in_range(rtt_us: int) -> int:
    """The RTT (µs) next to it that a message can carry."""
    return min(max(rtt_us, 1), MAX_RTT_US)


class SenderVariant(Protocol):
    """A variant's sender, for the messages and deadlines of one transmission, `of`.

    Methods that return None have not heeded the message.
    """

    token: int
    """The token that the first switch has given this host (decision "tokens"); 0: none. The host's next transmission may begin with it."""

    @property
    def deadline_s(self) -> float | None:
        """When it wants to be called next, besides the negotiation's own deadlines."""

    def note_rtt(self, of: SenderNegotiation, present_rtt_us: Callable[[], int]) -> None:
        """Something is about to happen; the argument reads the connection's present RTT in µs, 0 if it is not known."""

    def before_message(self, of: SenderNegotiation, message: Message, now_s: float) -> list[Action] | None:
        """A message came. None: the negotiation goes on with it; else that is all that is to be done."""

    def on_success(self, of: SenderNegotiation, message: Negotiation, now_s: float) -> list[Action] | None:
        """A success."""

    def on_failure(self, of: SenderNegotiation, now_s: float) -> list[Action] | None:
        """A failure."""

    def on_reduce(self, of: SenderNegotiation, message: Adjustment, now_s: float) -> list[Action] | None:
        """A reduce."""

    def on_increase(self, of: SenderNegotiation, message: Adjustment, now_s: float) -> list[Action] | None:
        """An increase."""

    def on_time(self, of: SenderNegotiation, now_s: float) -> list[Action]:
        """Acts on its own deadline, besides those of the negotiation."""

    def before_repeating(self, of: SenderNegotiation, outstanding: Outstanding) -> None:
        """A request that nobody has answered is sent again."""

    def lower(self, of: SenderNegotiation, rate_kbps: int) -> list[Action]:
        """A message says that its rate is no more than this."""

    def next_refresh_s(self, of: SenderNegotiation, now_s: float) -> float | None:
        """When its records are to be kept alive next; None: never."""

    def refresh(self, of: SenderNegotiation, now_s: float) -> list[Action]:
        """Its records are to be kept alive now."""

    def request(self, of: SenderNegotiation, max_kbps: int, flags: Flags) -> Negotiation:
        """The message that asks for a rate."""

    def terminate(self, of: SenderNegotiation) -> Adjustment:
        """The message that ends its records."""

    def forget_deadlines(self) -> None:
        """Nothing is waited for any more."""


@dataclass
class SenderNegotiation:
    """One transmission's negotiation.

    Args:
        variant: that of the network's Nodectl.
        id: names the transmission.
        max_kbps: the highest rate that the sender can send at, kbit/s, at least 1.
        min_kbps: the lowest rate that the user accepts, 0 for any; at most ``max_kbps``.
        rtt_us: round-trip time of the path in µs; brought into the range a message can carry.
        timing: time-outs and tries.
        has_other_path: if it is refused before it has had a rate, it does not wait here, but is to be negotiated over another path.
    """

    variant: SenderVariant
    id: TransmissionId
    max_kbps: int
    min_kbps: int
    rtt_us: int
    timing: Timing = field(default_factory=Timing)
    has_other_path: bool = False

    phase: Phase = Phase.NEW
    rate_kbps: int | None = None
    """Rate allocated now; None while there is none."""
    counters: Counters = field(default_factory=Counters)
    outstanding: Outstanding | None = None
    """The request that has not been answered yet."""
    _wait_deadline_s: float | None = None
    _wait_s: float = 0.0
    refresh_deadline_s: float | None = None
    refresh_tries: int = 0
    """Refreshes since the last answer to one."""
    _reduced_meanwhile: bool = False
    _was_allocated: bool = False

    def __post_init__(self) -> None:
        if not self.max_kbps >= 1 or not 0 <= self.min_kbps <= self.max_kbps:
            raise ValueError(f"rates must be 0 <= min <= max and max >= 1 kbit/s, not {self.min_kbps} and {self.max_kbps}")
        self.rtt_us = rtt_in_range(self.rtt_us)

    @property
    def deadline_s(self) -> float | None:
        """When :meth:`on_time` wants to be called next; None: there is nothing to wait for."""
        times = [self._wait_deadline_s, self.refresh_deadline_s, self.variant.deadline_s]
        if self.outstanding is not None:
            times.append(self.outstanding.deadline_s)
        return min((time for time in times if time is not None), default=None)

    @property
    def token(self) -> int:
        """The token that the first switch has given this host (decision "tokens"); 0: none."""
        return self.variant.token

    @token.setter
    def token(self, token: int) -> None:
        self.variant.token = token

    def note_rtt(self, present_rtt_us: Callable[[], int]) -> None:
        """Before a message or a deadline is told: some variants go by the connection's present RTT (decision "the present RTT").

        Args:
            present_rtt_us: reads it, in µs; 0 if it is not known.
        """
        self.variant.note_rtt(self, present_rtt_us)

    def start(self, now_s: float) -> list[Action]:
        """Sends the first request. Only once."""
        if self.phase is not Phase.NEW:
            raise ValueError("a negotiation starts once")
        self.phase = Phase.REQUESTING
        return self.send_request(self.max_kbps, Flags.NONE, now_s)

    def on_message(self, message: AnyMessage, now_s: float) -> list[Action]:
        """Takes in a message that came from the receiver's address. A message that does not fit the phase or the id is ignored."""
        if isinstance(message, Telemetry):
            self.counters.ignored += 1
            return []
        actions = self.variant.before_message(self, message, now_s)
        if actions is not None:
            return actions
        if message.id == self.id:
            match message.type:
                case MessageType.SUCCESS if isinstance(message, Negotiation):
                    actions = self.variant.on_success(self, message, now_s)
                case MessageType.FAILURE:
                    actions = self.variant.on_failure(self, now_s)
                case MessageType.REDUCE if isinstance(message, Adjustment):
                    actions = self.variant.on_reduce(self, message, now_s)
                case MessageType.INCREASE if isinstance(message, Adjustment):
                    actions = self.variant.on_increase(self, message, now_s)
        if actions is None:
            self.counters.ignored += 1
            return []
        return actions

    def on_time(self, now_s: float) -> list[Action]:
        """Does whatever is due at ``now_s``; harmless if called early."""
        actions: list[Action] = []
        if self.outstanding is not None and now_s >= self.outstanding.deadline_s:
            actions += self._on_silence(self.outstanding, now_s)
        if self._wait_deadline_s is not None and now_s >= self._wait_deadline_s:
            self._wait_deadline_s = None
            self.phase = Phase.REQUESTING
            actions += self.send_request(self.max_kbps, Flags.RENEGOTIATION if self._was_allocated else Flags.NONE, now_s)
        if self.refresh_deadline_s is not None and now_s >= self.refresh_deadline_s:
            actions += self.variant.refresh(self, now_s)
        return actions + self.variant.on_time(self, now_s)

    def end(self) -> list[Action]:
        """The transmission is over, at any time: terminate, twice, because nobody acknowledges it."""
        was_known = self.phase in (Phase.REQUESTING, Phase.WAITING, Phase.ALLOCATED)
        self.phase = Phase.ENDED
        self._forget_timers()
        return [self.send_terminate()] * 2 if was_known else []

    def take_success(self, message: Negotiation, now_s: float) -> list[Action] | None:
        """A success as the paper has it (Algorithm 3, lines 3 and 4)."""
        if self.phase not in (Phase.REQUESTING, Phase.WAITING, Phase.ALLOCATED):
            return None
        awaited = self.outstanding.message if self.outstanding else None
        is_answer = awaited is not None and awaited.flags == message.flags
        if self.phase is Phase.ALLOCATED and not is_answer:
            # The answer to a refresh, or a late one to a request that was repeated: it can lower the rate, never raise it.
            if message.flags & Flags.REFRESH and self.refresh_tries:
                self.refresh_tries = 0
                self.refresh_deadline_s = self.variant.next_refresh_s(self, now_s)
            return self.variant.lower(self, message.max_kbps)
        if message.flags & Flags.REFRESH:
            return None
        self.counters.successes += 1
        self.outstanding = None
        self._wait_deadline_s = None
        self._wait_s = 0.0
        self.phase = Phase.ALLOCATED
        self._was_allocated = True
        self.refresh_tries = 0
        self.refresh_deadline_s = self.soon_s(now_s) if self._reduced_meanwhile else self.variant.next_refresh_s(self, now_s)
        limit = awaited.max_kbps if awaited is not None else self.max_kbps
        self.rate_kbps = min(message.max_kbps, limit)
        return [SetRate(self.rate_kbps)]

    def take_failure(self, now_s: float) -> list[Action] | None:
        """A failure as the paper has it (lines 5 and 6)."""
        if self.phase not in (Phase.REQUESTING, Phase.ALLOCATED):
            return None
        self.counters.failures += 1
        if self.has_other_path and not self._was_allocated:
            terminates = self.end()
            self.phase = Phase.REFUSED
            return [*terminates, AskElsewhere()]
        actions: list[Action] = [Pause()] if self.phase is Phase.ALLOCATED else []
        self._forget_timers()
        self.rate_kbps = None
        self.phase = Phase.WAITING
        self._wait_s = self.timing.next_wait_s(self._wait_s)
        self._wait_deadline_s = now_s + self._wait_s
        return actions

    def take_reduce(self, message: Adjustment, now_s: float) -> list[Action] | None:
        """A reduce as the paper has it (lines 10 and 11)."""
        if self.phase is not Phase.ALLOCATED:
            return None
        self.counters.reduces += 1
        # The switches behind the one that reduced have not seen the message: tell them soon.
        soon_s = self.soon_s(now_s)
        self.refresh_deadline_s = soon_s if soon_s is None else min(soon_s, self.refresh_deadline_s or soon_s)
        self._reduced_meanwhile = self.outstanding is not None
        return self.variant.lower(self, message.speed_kbps)

    def take_increase(self, message: Adjustment, now_s: float) -> list[Action] | None:
        """An increase as the paper has it (lines 7 to 9)."""
        target = min(message.speed_kbps, self.max_kbps)
        if self.phase is not Phase.ALLOCATED or target <= (self.rate_kbps or 0):
            return None
        if self.outstanding is not None and self.outstanding.message.max_kbps == target:
            return None  # on its way already
        self.counters.increases += 1
        self.counters.renegotiations += 1
        return self.send_request(target, Flags.RENEGOTIATION, now_s)

    def _on_silence(self, outstanding: Outstanding, now_s: float) -> list[Action]:
        if outstanding.tries < self.timing.tries:
            self.variant.before_repeating(self, outstanding)
            outstanding.tries += 1
            outstanding.timeout_s = min(outstanding.timeout_s * 2, max(outstanding.timeout_s, self.timing.timeout_max_s))
            outstanding.deadline_s = now_s + outstanding.timeout_s
            self.counters.requests += 1
            return [Send(outstanding.message)]
        self.outstanding = None
        if self.phase is Phase.ALLOCATED:
            # The rate stays; switches that had heard the renegotiation are brought back to it.
            return self.variant.refresh(self, now_s)
        self._forget_timers()
        self.phase = Phase.UNANSWERED
        return [self.send_terminate(), CarryOnAlone()]

    def send_request(self, max_kbps: int, flags: Flags, now_s: float) -> list[Action]:
        """Asks for a rate, and waits for the answer."""
        message = self.variant.request(self, max_kbps, flags)
        timeout_s = self.first_timeout_s()
        self.outstanding = Outstanding(message, 1, timeout_s, now_s + timeout_s)
        self._reduced_meanwhile = False
        self.counters.requests += 1
        return [Send(message)]

    def first_timeout_s(self) -> float:
        """How long a request waits for its answer before it is repeated."""
        return max(self.timing.first_timeout_rtts * self.rtt_us / US_PER_S, self.timing.first_timeout_min_s)

    def regular_refresh_s(self, now_s: float) -> float | None:
        """When records are kept alive next (decision "refreshes"); None: never."""
        return None if self.timing.refresh_interval_s is None else now_s + self.timing.refresh_interval_s

    def soon_s(self, now_s: float) -> float | None:
        """When records are kept alive that switches may know a higher rate of; None: never."""
        if self.timing.refresh_interval_s is None:
            return None
        return now_s + self.timing.refresh_after_reduce_rtts * self.rtt_us / US_PER_S

    def send_refresh(self, now_s: float) -> list[Action]:
        """Keeps the transmission's records alive, unless a request is on its way."""
        if self.outstanding is not None:
            # A refresh now would lower the records that the renegotiation has just raised.
            self.refresh_deadline_s = self.outstanding.deadline_s
            return []
        self.refresh_deadline_s = self.variant.next_refresh_s(self, now_s)
        if self.timing.refresh_interval_s is None or self.rate_kbps is None or self.phase is not Phase.ALLOCATED:
            return []
        self.refresh_tries += 1
        if self.refresh_tries < self.timing.refresh_tries:
            self.refresh_deadline_s = now_s + self.first_timeout_s()
        else:
            self.refresh_tries = 0
        self.counters.refreshes += 1
        return [Send(self.variant.request(self, self.rate_kbps, Flags.REFRESH))]

    def lower_rate(self, rate_kbps: int) -> list[Action]:
        """Its rate is no more than this."""
        if self.rate_kbps is not None and rate_kbps >= self.rate_kbps:
            return []
        self.rate_kbps = rate_kbps
        return [SetRate(rate_kbps)]

    def plain_request(self, max_kbps: int, flags: Flags) -> Negotiation:
        """The message of version 1 that asks for a rate."""
        minimum = min(self.min_kbps, max_kbps)
        return Negotiation(MessageType.REQUEST, self.id, max_kbps, minimum, self.rtt_us, flags=flags)

    def send_terminate(self) -> Send:
        """Ends the transmission's records."""
        return Send(self.variant.terminate(self))

    def _forget_timers(self) -> None:
        self.outstanding = None
        self._wait_deadline_s = None
        self.refresh_deadline_s = None
        self.variant.forget_deadlines()
