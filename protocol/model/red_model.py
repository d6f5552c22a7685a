"""RED: Floyd and Jacobson 1993, section IV, with the random numbers of their section VII. The P4 program is p4src/red_queue.p4."""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.model.random_number import RandomNumbers
from protocol.model.verdict import Verdict

HALVED_AWAY = 48
"""Halvings after which nothing is left of an average."""


@dataclass
class Red:
    """One queue's decisions. Averages are packets times 2^``weight_shift``.

    Args:
        weight_shift: the paper's w_q is 2^-weight_shift.
        min_average, max_average: between them, packets are dropped with a probability; above, always.
        slope: that probability times 2^56, for each unit of the average above ``min_average``.
        halving: an empty queue's average is halved so often in a microsecond, times 2^42; 0: it counts arrivals alone.
        seed: of the random numbers.
        marks: packets of senders that know of ECN are marked instead of dropped.
    """

    weight_shift: int
    min_average: int
    max_average: int
    slope: int
    halving: int
    seed: int
    marks: int = 0
    average: int = 0
    length: int = 0
    empty_since_us: int | None = None
    since_last: int | None = None
    threshold: int = 0
    random: RandomNumbers = field(init=False)

    def __post_init__(self) -> None:
        self.random = RandomNumbers(self.seed)

    def arrive(self, now_us: int, can_be_marked: bool) -> Verdict:
        """A packet comes."""
        if self.halving and self.length == 0 and self.empty_since_us is not None:
            self._decay(now_us - self.empty_since_us)
        else:
            self.average += self.length - (self.average >> self.weight_shift)
        if not self._drops():
            self.length += 1
            return Verdict.SENT
        if self.marks and can_be_marked:
            self.length += 1
            return Verdict.MARKED
        return Verdict.DROPPED

    def leave(self, now_us: int, left_packets: int) -> None:
        """A packet leaves, and some are left."""
        self.length = left_packets
        self.empty_since_us = None if left_packets else now_us

    def _decay(self, idle_us: int) -> None:
        halvings, sixty_fourths = divmod(idle_us * self.halving >> 36, 64)
        factor = round(2**16 * 2 ** (-sixty_fourths / 64))
        self.average = 0 if halvings >= HALVED_AWAY else (self.average >> halvings) * factor >> 16

    def _drops(self) -> bool:
        if self.average < self.min_average or self.average >= self.max_average:
            self.since_last = None
            return self.average >= self.max_average
        if self.since_last is None:
            self.since_last = 0
            self.threshold = self.random.next()
            return False
        self.since_last += 1
        probability = (self.average - self.min_average) * self.slope >> 24
        if self.since_last * probability < self.threshold:
            return False
        self.since_last = 0
        self.threshold = self.random.next()
        return True
