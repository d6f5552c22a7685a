"""How long something took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from experiments.metrics.counting import per_payload
from experiments.metrics.registry import Scalar, metric
from experiments.run.samples import Series

if TYPE_CHECKING:
    from experiments.run.outcome import RunData

KILOBYTE = 1e3


@metric
def ms_to_in_flight(run: RunData, _point: Mapping[str, Scalar], *, of: str, kilobytes: float) -> float | None:
    """Milliseconds from the connection being ESTABLISHED until the bytes in flight, counted at the frame, reach ``kilobytes``."""
    transfer = run[of]
    level_bytes = kilobytes * KILOBYTE / per_payload(run.scenario, "frame")
    reached_s = time_to_reach(transfer.column("bytes_in_flight"), level_bytes, transfer.connected_s)
    return None if reached_s is None else reached_s * 1e3


def time_to_reach(series: Series, level: float, from_s: float) -> float | None:
    """Seconds from ``from_s`` until a sampled quantity first reaches ``level``, or None if it never does.

    Samples are taken as they are; nothing is interpolated, so the answer is up to one sampling interval late.
    """
    there = np.flatnonzero((series.time_s >= from_s) & (series.value >= level))
    return float(series.time_s[there[0]] - from_s) if there.size else None
