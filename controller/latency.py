"""How long the controller takes: from a packet-in's arrival to the last packet-out it caused."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

KEPT = 4096
"""The latest measurements that are kept."""


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """Times in milliseconds over the latest measurements."""

    count: int
    mean_ms: float
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
        """Mean, 99th percentile and maximum of what is kept; zeros if there is nothing."""
        values = sorted(self._latest_s)
        if not values:
            return LatencySummary(0, 0.0, 0.0, 0.0)
        p99 = values[min(len(values) - 1, int(0.99 * len(values)))]
        return LatencySummary(len(values), 1000 * sum(values) / len(values), 1000 * p99, 1000 * values[-1])
