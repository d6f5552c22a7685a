"""How much something goes up and down, in the measuring window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.collect.processor_standstills import undisturbed
from engine.collect.samples import Floats
from engine.collect.statistics import BIN_S, throughput_bps
from engine.metrics.registry import Scalar, metric
from engine.metrics.throughput import MEGABIT

if TYPE_CHECKING:
    from engine.collect.run_data import RunData

AFTERMATH_MS = 60.0


@metric
def sample_range(
    run: RunData, _point: Mapping[str, Scalar], *, of: str, column: str, scale: float = 1.0, middle_percent: float = 100.0
) -> float | None:
    """Largest less smallest of a column of the sender's samples, or of the middle part of its values (98: 1st to 99th percentile)."""
    values = _samples(run, of, column)
    outside = (100 - middle_percent) / 2
    return float(np.subtract(*np.percentile(values, [100 - outside, outside]))) * scale if values.size else None


@metric
def throughput_range_mbps(
    run: RunData, _point: Mapping[str, Scalar], *, of: str, only_undisturbed: bool = False, aftermath_ms: float = AFTERMATH_MS
) -> float | None:
    """Largest less smallest payload throughput of a bin of 100 ms.

    Args:
        run: the run's data.
        of: transmission.
        only_undisturbed: without the bins that a standstill of a processor, or its aftermath, touches; None if none is left, or if
            standstills could not be watched.
        aftermath_ms: how long after a standstill its effect still arrives.
    """
    rate_bps, kept = _bins(run, of, aftermath_ms)
    if only_undisturbed:
        if kept is None:
            return None
        rate_bps = rate_bps[kept]
    return float(np.ptp(rate_bps)) / MEGABIT if rate_bps.size else None


@metric
def undisturbed_percent(run: RunData, _point: Mapping[str, Scalar], *, of: str, aftermath_ms: float = AFTERMATH_MS) -> float | None:
    """Share of the bins of 100 ms that no standstill of a processor touches; None if standstills could not be watched."""
    _, kept = _bins(run, of, aftermath_ms)
    return None if kept is None else 100 * float(kept.mean())


@metric
def standstills_ms(run: RunData, _point: Mapping[str, Scalar]) -> float | None:
    """How long processors stood still in the whole run, added up; None if that could not be watched."""
    return None if run.standstills is None else sum(one.lasted_s for one in run.standstills) * 1e3


def _samples(run: RunData, of: str, column: str) -> Floats:
    series, (from_s, to_s) = run[of].column(column), run.window_s
    return series.value[(series.time_s >= from_s) & (series.time_s <= to_s)]


def _bins(run: RunData, of: str, aftermath_ms: float) -> tuple[Floats, NDArray[np.bool_] | None]:
    from_s, to_s = run.window_s
    middles_s, rate_bps = throughput_bps(run[of].received, from_s, to_s)
    kept = None if run.standstills is None else undisturbed(from_s + middles_s, BIN_S, run.standstills, aftermath_ms / 1e3)
    return rate_bps, kept
