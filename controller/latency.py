"""How long the controller takes: from a packet-in's arrival to the last packet-out it caused."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from common.units import MS_PER_S

KEPT = 4096
"""The latest measurements that are kept."""


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """Times in milliseconds over the latest measurements."""

    count: int
    mean_ms: float
    p50_ms: float
    p99_ms: float
    max_ms: float


class LatencyLog:
    """Measurements of one switch's session."""

    def __init__(self) -> None:
        self._latest_s: deque[float] = deque(maxlen=KEPT)

    def add(self, duration_s: float) -> None:
        """Note one measurement, in seconds."""
        self._latest_s.append(duration_s)

    def summary(self) -> LatencySummary:
        """Mean, median, 99th percentile and maximum of the kept measurements; zeros if there are none."""
        values = sorted(self._latest_s)
        if not values:
            return LatencySummary(0, 0.0, 0.0, 0.0, 0.0)
        in_ms = [MS_PER_S * value for value in values]
        p50, p99 = (in_ms[min(len(in_ms) - 1, int(share * len(in_ms)))] for share in (0.5, 0.99))
        return LatencySummary(len(in_ms), sum(in_ms) / len(in_ms), p50, p99, in_ms[-1])
