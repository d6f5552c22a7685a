"""PIE: RFC 8033, sections 4 and 5, with delays by time stamps. The P4 program is p4src/pie_queue.p4."""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.model.queue_ticks import FORGOTTEN_TICKS
from protocol.model.random_number import RandomNumbers
from protocol.model.verdict import Verdict

ONE = 2**40
"""The probability 1."""

LONG_DELAY_US = 250_000
SCALES = ((10**6, 11), (10**5, 9), (10**4, 7), (1000, 5), (100, 3), (10, 1))
"""Below 1 / the first number, the controller's change of a probability is divided by 2^ the second."""


@dataclass
class Pie:
    """One queue's decisions. Delays are microseconds.

    Args:
        target_us: the RFC's QDELAY_REF.
        tick_us: its T_UPDATE.
        alpha, beta: of the controller; a delay times them is a probability times 2^40.
        max_burst_us: MAX_BURST.
        seed: of the random numbers.
        marks: packets of senders that know of ECN are marked instead of dropped.
    """

    target_us: int
    tick_us: int
    alpha: int
    beta: int
    max_burst_us: int
    seed: int
    marks: int = 0
    length: int = 0
    delay_us: int = 0
    old_delay_us: int = 0
    next_tick_us: int = 0
    probability: int = 0
    accumulated: int = 0
    burst_us: int = 0
    random: RandomNumbers = field(init=False)

    def __post_init__(self) -> None:
        self.random = RandomNumbers(self.seed)

    def arrive(self, now_us: int, can_be_marked: bool) -> Verdict:
        """A packet comes; it is the tick that is due, too."""
        if now_us >= self.next_tick_us:
            self._tick(now_us)
        if not self._drops_early():
            self.length += 1
            return Verdict.SENT
        self.accumulated = 0
        if self.marks and can_be_marked and self.probability <= ONE // 10:
            self.length += 1
            return Verdict.MARKED
        return Verdict.DROPPED

    def leave(self, waited_us: int, left_packets: int) -> None:
        """A packet leaves, and some are left."""
        self.length = left_packets
        self.delay_us = waited_us if left_packets else 0

    def _tick(self, now_us: int) -> None:
        if now_us - self.next_tick_us >= FORGOTTEN_TICKS * self.tick_us:
            self.next_tick_us = now_us
            self.probability = self.old_delay_us = 0
        self.next_tick_us += self.tick_us
        change = self.alpha * (self.delay_us - self.target_us) + self.beta * (self.delay_us - self.old_delay_us)
        scale = next((bits for divisor, bits in SCALES if self.probability < ONE // divisor), None)
        change = min(change, ONE // 50) if scale is None else change >> scale
        if self.delay_us > LONG_DELAY_US:
            change += ONE // 50
        self.probability += change
        if self.delay_us == self.old_delay_us == 0:
            self.probability -= self.probability >> 6
        self.probability = max(0, min(self.probability, ONE))
        self.burst_us = max(0, self.burst_us - self.tick_us)
        if self.probability == 0 and self._is_low(self.delay_us) and self._is_low(self.old_delay_us):
            self.burst_us = self.max_burst_us
            self.accumulated = 0
        self.old_delay_us = self.delay_us

    def _is_low(self, delay_us: int) -> bool:
        return delay_us < self.target_us // 2

    def _drops_early(self) -> bool:
        if self.burst_us > 0 or (self._is_low(self.old_delay_us) and self.probability < ONE // 5) or self.length <= 2:
            return False
        self.accumulated = self.accumulated + self.probability if self.probability else 0
        if self.accumulated >= ONE // 2 * 17:
            return True
        return self.accumulated >= ONE // 100 * 85 and self.random.next() << 8 < self.probability
