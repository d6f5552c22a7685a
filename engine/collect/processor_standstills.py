"""Moments in which a processor of this machine stood still: nothing on it ran, neither links nor hosts.

A hypervisor takes virtual processors away for some milliseconds now and then. The links' lateness tells of it only where a packet was
due just then; ``p4switch watch-processors`` tells of all of them.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.collect.samples import NANOSECONDS, Floats

MICROSECONDS = 1e-6


@dataclass(frozen=True)
class Standstill:
    """One processor, from ``since_s`` (CLOCK_MONOTONIC seconds) for ``lasted_s`` seconds."""

    since_s: float
    lasted_s: float
    processor: int


def read_standstills(file: Path | None, begin_s: float, end_s: float) -> list[Standstill] | None:
    """Those of a millisecond or more that touch an interval (CLOCK_MONOTONIC seconds), in the order of the file; None: nobody watched."""
    if file is None:
        return None
    with file.open(newline="") as stream:
        every = [
            Standstill(int(row["time_ns"]) * NANOSECONDS, int(row["standstill_us"]) * MICROSECONDS, int(row["processor"]))
            for row in csv.DictReader(stream)
        ]
    return [one for one in every if one.since_s < end_s and one.since_s + one.lasted_s > begin_s]


def undisturbed(middles_s: Floats, bin_s: float, standstills: Sequence[Standstill], aftermath_s: float) -> NDArray[np.bool_]:
    """Which bins no standstill can have changed.

    Args:
        middles_s: the middle of each bin, CLOCK_MONOTONIC seconds; shape (bins,).
        bin_s: width of a bin, seconds.
        standstills: of any processor.
        aftermath_s: how long after a standstill its effect still arrives, seconds.

    Returns:
        Shape (bins,).
    """
    kept = np.ones(middles_s.shape, dtype=np.bool_)
    for one in standstills:
        until_s = one.since_s + one.lasted_s + aftermath_s
        kept &= (middles_s + bin_s / 2 <= one.since_s) | (middles_s - bin_s / 2 >= until_s)
    return kept
