"""How long something took."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from engine.collect.samples import Series
from engine.metrics.counting import per_payload
from engine.metrics.registry import Scalar, metric

if TYPE_CHECKING:
    from engine.collect.completions import Completion
    from engine.collect.run_data import RunData

KILOBYTE = 1e3


@metric
def ms_to_in_flight(run: RunData, _point: Mapping[str, Scalar], *, of: str, kilobytes: float) -> float | None:
    """Milliseconds from the connection being ESTABLISHED until the bytes in flight, counted at the frame, reach ``kilobytes``."""
    transfer = run[of]
    level_bytes = kilobytes * KILOBYTE / per_payload(run.scenario, "frame")
    reached_s = time_to_reach(transfer.column("bytes_in_flight"), level_bytes, transfer.connected_s)
    return None if reached_s is None else reached_s * 1e3


@metric
def completion_ms(
    run: RunData,
    _point: Mapping[str, Scalar],
    *,
    percentile: float,
    of: str = "*",
    least_bytes: float = 0,
    most_bytes: float = math.inf,
) -> float | None:
    """A percentile of the milliseconds from when transmissions were to start until their last byte was read; None: there are none such.

    Args:
        run: the run's data.
        percentile: 50 for the median.
        of: their names, with ``*`` for any part.
        least_bytes, most_bytes: sizes, the first one included, the second one not.
    """
    return _percentile([1e3 * one.took_s for one in _chosen(run, of, least_bytes, most_bytes)], percentile)


@metric
def slowdown(
    run: RunData,
    _point: Mapping[str, Scalar],
    *,
    percentile: float,
    of: str = "*",
    least_bytes: float = 0,
    most_bytes: float = math.inf,
) -> float | None:
    """The same of how many times as long they took as they do alone."""
    return _percentile([one.slowdown for one in _chosen(run, of, least_bytes, most_bytes)], percentile)


def _chosen(run: RunData, of: str, least_bytes: float, most_bytes: float) -> list[Completion]:
    return [one for one in run.completions if fnmatchcase(one.name, of) and least_bytes <= one.size_bytes < most_bytes]


def _percentile(values: list[float], percentile: float) -> float | None:
    return float(np.percentile(values, percentile)) if values else None


def time_to_reach(series: Series, level: float, from_s: float) -> float | None:
    """Seconds from ``from_s`` until a sampled quantity first reaches ``level``, or None if it never does.

    Samples are taken as they are; nothing is interpolated, so the answer is up to one sampling interval late.
    """
    there = np.flatnonzero((series.time_s >= from_s) & (series.value >= level))
    return float(series.time_s[there[0]] - from_s) if there.size else None
