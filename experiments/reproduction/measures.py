"""What tables are made of, computed from samples: times, shares, ranges."""

from __future__ import annotations

import numpy as np

from experiments.samples import Floats, Series

BITS_PER_BYTE = 8


def time_to_reach(series: Series, level: float, from_s: float) -> float | None:
    """Seconds from ``from_s`` until a sampled quantity first reaches ``level``, or None if it never does.

    Samples are taken as they are; nothing is interpolated, so the answer is up to one sampling interval late.
    """
    there = np.flatnonzero((series.time_s >= from_s) & (series.value >= level))
    return float(series.time_s[there[0]] - from_s) if there.size else None


def utilisation(payload_bytes: float, duration_s: float, rate_bps: float) -> float:
    """Share of a link's rate that payload took in ``duration_s`` seconds, 0 to 1."""
    return payload_bytes * BITS_PER_BYTE / (duration_s * rate_bps)


def value_range(values: Floats) -> float:
    """Largest less smallest; 0 without values."""
    return float(values.max() - values.min()) if values.size else 0.0


def thinned(time_s: Floats, value: Floats, points: int = 400) -> tuple[list[float], list[float]]:
    """At most ``points`` samples for a figure, evenly picked, rounded to what can be seen."""
    if time_s.size == 0:
        return [], []
    picked = np.unique(np.linspace(0, time_s.size - 1, min(points, time_s.size)).round().astype(int))
    return [round(float(time), 4) for time in time_s[picked]], [round(float(one), 6) for one in value[picked]]
