"""DualPI2: RFC 9332, appendix A, with its protection against overload. The P4 program is p4src/dualpi2_queue.p4."""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.model.queue_ticks import FORGOTTEN_TICKS
from protocol.model.random_number import RandomNumbers
from protocol.model.verdict import Verdict

ONE = 2**48
"""The probability 1."""

RANDOM_SHIFT = 16
"""From a random number of 32 bits to a probability."""

LOW_LATENCY, CLASSIC = 0, 1


@dataclass
class Recur:
    """Events that occur as often as their likelihood says."""

    count: int = 0

    def occurs(self, likelihood: int, random: int) -> bool:
        """Whether one does now: evenly (RFC 9332's recur()), or where the random number is small; 0 is none."""
        if random:
            return random << RANDOM_SHIFT < likelihood
        self.count += likelihood
        if self.count <= ONE:
            return False
        self.count -= ONE
        return True


@dataclass
class Dualpi2:
    """One port's decisions. Times are nanoseconds, probabilities times 2^48.

    Args:
        target_ns: of the classic queue's delay.
        tick_ns: the RFC's Tupdate.
        alpha, beta: of the controller, for each nanosecond.
        coupling: the RFC's k.
        min_threshold_ns, max_threshold_ns: between these times in the low-latency queue, the probability of a mark goes from 0 to 1.
        ramp: by so much a nanosecond.
        max_classic: the RFC's p_Cmax; above it, packets are dropped whoever sends them.
        max_packet_bytes: with no more behind it, a classic packet is never dropped or marked.
        seed: of random marks; 0: marks are even.
    """

    target_ns: int
    tick_ns: int
    alpha: int
    beta: int
    coupling: int
    min_threshold_ns: int
    max_threshold_ns: int
    ramp: int
    max_classic: int
    max_packet_bytes: int
    seed: int = 0
    base: int = 0
    old_delay_ns: int = 0
    next_tick_ns: int = 0
    delays_ns: list[int] = field(init=False, default_factory=lambda: [0, 0])
    recur: list[Recur] = field(init=False, default_factory=lambda: [Recur(), Recur()])
    recur_overload: Recur = field(init=False, default_factory=Recur)
    _randoms: RandomNumbers = field(init=False)

    def __post_init__(self) -> None:
        self._randoms = RandomNumbers(self.seed)

    @staticmethod
    def queue_of(ecn: int) -> int:
        """The queue of a packet, by its ECN field: L4S senders set ECT(1)."""
        return LOW_LATENCY if ecn & 1 else CLASSIC

    def leave(self, now_ns: int, ecn: int, waited_ns: int, queue_bytes: int, port_bytes: int) -> Verdict:
        """A packet leaves its queue: its fate.

        Args:
            now_ns: the present, ns.
            ecn: its ECN field.
            waited_ns: how long it was there.
            queue_bytes: left in its queue.
            port_bytes: left in both.
        """
        queue = self.queue_of(ecn)
        self.delays_ns[queue] = waited_ns if queue_bytes else 0
        if now_ns >= self.next_tick_ns:
            self._tick(now_ns)
        classic = (self.base >> 17) ** 2 >> 14
        coupled = self.coupling * self.base
        random = self._random()
        if queue == CLASSIC:
            if port_bytes <= self.max_packet_bytes or not self.recur[queue].occurs(classic, random):
                return Verdict.SENT
            return Verdict.DROPPED if ecn == 0 or classic >= self.max_classic else Verdict.MARKED
        if coupled >= ONE:
            marked = self.recur[queue].occurs(coupled, random)
            drops = self.recur_overload.occurs(classic, self._random())
            return Verdict.DROPPED if drops else Verdict.MARKED if marked else Verdict.SENT
        native = self._native(waited_ns) if queue_bytes else 0
        return Verdict.MARKED if self.recur[queue].occurs(max(native, coupled), random) else Verdict.SENT

    def _random(self) -> int:
        return self._randoms.next() if self.seed else 0

    def _native(self, waited_ns: int) -> int:
        if waited_ns >= self.max_threshold_ns:
            return ONE
        return max(0, waited_ns - self.min_threshold_ns) * self.ramp

    def _tick(self, now_ns: int) -> None:
        if now_ns - self.next_tick_ns >= FORGOTTEN_TICKS * self.tick_ns:
            self.next_tick_ns = now_ns
            self.base = self.old_delay_ns = 0
        self.next_tick_ns += self.tick_ns
        delay = max(self.delays_ns)
        self.base += self.alpha * (delay - self.target_ns) + self.beta * (delay - self.old_delay_ns)
        self.base = max(0, min(self.base, ONE))
        self.old_delay_ns = delay
