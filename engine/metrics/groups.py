"""Throughputs of groups of transmissions, side by side. In the names of a group, ``*`` stands for any part of a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from statistics import fmean
from typing import TYPE_CHECKING

from engine.collect.statistics import mean_bps
from engine.metrics.registry import Scalar, metric
from engine.metrics.throughput import MEGABIT, window_s

if TYPE_CHECKING:
    from engine.collect.run_data import RunData


@metric
def group_mean_mbps(
    run: RunData, _point: Mapping[str, Scalar], *, of: Sequence[str], from_s: float | None = None, to_s: float | None = None
) -> float:
    """Mean of the payload throughputs of a group's members, by default in the measuring window."""
    return fmean(_mbps(run, of, window_s(run, from_s, to_s)))


@metric
def share_percent(run: RunData, _point: Mapping[str, Scalar], *, of: Sequence[str]) -> float | None:
    """A group's part of all payload read in the measuring window, percent; None if nobody read anything."""
    whole = sum(_mbps(run, ["*"], run.window_s))
    return 100 * sum(_mbps(run, of, run.window_s)) / whole if whole > 0 else None


@metric
def asymmetry(run: RunData, _point: Mapping[str, Scalar], *, of: Sequence[str], against: Sequence[str]) -> float | None:
    """Asymmetry index (a - b) / (a + b) of the mean throughputs of two groups; None if nobody read anything.

    Source: Marfia et al., TCP Libra, equation (62). 0: both have the same; 1 and -1: the first, the second has everything.
    """
    a, b = (fmean(_mbps(run, group, run.window_s)) for group in (of, against))
    return (a - b) / (a + b) if a + b > 0 else None


@metric
def smaller_percent(run: RunData, _point: Mapping[str, Scalar], *, of: Sequence[str], against: Sequence[str]) -> float | None:
    """The smaller one of two groups' mean throughputs in the measuring window, in percent of the larger one; None if both are nothing."""
    smaller, larger = sorted(fmean(_mbps(run, group, run.window_s)) for group in (of, against))
    return 100 * smaller / larger if larger > 0 else None


def members(run: RunData, of: Sequence[str]) -> list[str]:
    """The transmissions that names stand for, in the order of the run.

    Raises:
        ValueError: a name stands for none, or there are no names.
    """
    for pattern in of:
        if not any(fnmatchcase(name, pattern) for name in run.transmissions):
            raise ValueError(f"there is no transmission {pattern!r}")
    found = [name for name in run.transmissions if any(fnmatchcase(name, pattern) for pattern in of)]
    if not found:
        raise ValueError("no transmission is named")
    return found


def _mbps(run: RunData, of: Sequence[str], interval_s: tuple[float, float]) -> list[float]:
    return [mean_bps(run[name].received, *interval_s) / MEGABIT for name in members(run, of)]
