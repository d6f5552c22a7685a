"""A contest of congestion controls over links that follow traces: the natural logarithm of throughput over delay.

The score of a trace is ln(T / D). T is the mean payload throughput in Mbit/s over the measuring window. D is the 95th percentile, over the
same window, of the kernel's smoothed RTT in seconds, sampled every millisecond. The score of a contest is the mean over its traces. (MIT's
course 6.829 scores log(throughput / delay) over a trace too.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from labs.check.measured import Measured
from labs.check.vocabulary import Failed

OPEN, HIDDEN = "open", "hidden"
MILLISECONDS_PER_SECOND = 1e3
NO_THROUGHPUT = -10.0
"""The score of a scheme that gets nothing through."""


@dataclass(frozen=True)
class Leg:
    """One trace."""

    name: str
    throughput_mbps: float
    delay_s: float

    @property
    def score(self) -> float:
        """See the module."""
        if self.throughput_mbps <= 0 or self.delay_s <= 0:
            return NO_THROUGHPUT
        return max(NO_THROUGHPUT, math.log(self.throughput_mbps / self.delay_s))

    def __str__(self) -> str:
        return f"{self.name}: {self.throughput_mbps:.2f} Mbit/s, {self.delay_s * MILLISECONDS_PER_SECOND:.0f} ms, score {self.score:.3f}"


@dataclass(frozen=True)
class Contest:
    """Measures schemes over traces.

    Args:
        measure_own: scenarios with the student's scheme in them.
        measure_given: scenarios in which nothing is the student's.
        write: writes the scenarios of a seed for a scheme into a folder, a file a trace.
        folder: for them.
        seeds: of the contests, by name; open to all, and hidden where the grader has one.
        rival: the scheme of the kernel's that is to be beaten.
    """

    measure_own: Callable[[Sequence[Path]], Sequence[Measured]]
    measure_given: Callable[[Sequence[Path]], Sequence[Measured]]
    write: Callable[[int, str, Path], Sequence[Path]]
    folder: Path
    seeds: dict[str, int]
    rival: str

    def legs(self, scheme: str) -> dict[str, list[Leg]]:
        """The results of a student's scheme on each trace, by the contests' names.

        Raises:
            Failed: a run has no result.
        """
        files = {contest: list(self.write(seed, scheme, self.folder / contest / scheme)) for contest, seed in self.seeds.items()}
        measured = iter(self.measure_own([file for some in files.values() for file in some]))
        return {contest: [_leg(file, next(measured)) for file in some] for contest, some in files.items()}

    def rival_legs(self) -> list[Leg]:
        """The results of the rival on each open trace."""
        files = self.rival_scenarios()
        return [_leg(file, measured) for file, measured in zip(files, self.measure_given(files), strict=True)]

    def rival_scenarios(self) -> list[Path]:
        """The scenarios of the rival on open traces: the same for everybody."""
        return list(self.write(self.seeds[OPEN], self.rival, self.folder / OPEN / self.rival))


def _leg(file: Path, measured: Measured) -> Leg:
    try:
        delay_s = measured.value("delay_p95_ms") / MILLISECONDS_PER_SECOND
    except Failed:
        delay_s = 0.0
    return Leg(file.stem, measured.value("total_mbps"), delay_s)


def score(legs: Sequence[Leg]) -> float:
    """The mean score of all traces of a contest."""
    return sum(leg.score for leg in legs) / len(legs)
