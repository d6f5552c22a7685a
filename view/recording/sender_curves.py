"""A sender's connection as its kernel described it at the ends of bins: RTT, window, packets in flight, the rate it was told."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.collect.samples import NANOSECONDS, SenderSamples
from hosts.sample_excerpt import excerpt_file
from hosts.sample_row import COLUMNS
from view.recording.tail import Tail

CURVES = {
    "rtt_ms": ("srtt_us", 1e-3),
    "window": ("cwnd_packets", 1.0),
    "in_flight": ("unacked_packets", 1.0),
    "allocated_mbps": ("allocated_rate_bps", 1e-6),
}
"""Names of curves; the column of each, and the factor for its values."""


Curves = dict[str, list[float | None]]


def sender_curves(file: Path, start_s: float, bin_s: float, bins: int) -> Curves:
    """Curves of one connection; None where it has no sample: before it was established and after it was closed.

    Args:
        file: of its samples (hosts/sender_samples.py).
        start_s: CLOCK_MONOTONIC of the first bin's beginning.
        bin_s: their width.
        bins: how many.

    Raises:
        OSError: there is no such file.
        ValueError: it is damaged.
    """
    samples = SenderSamples(file)
    ends_s = start_s + bin_s * np.arange(1, bins + 1)
    found: Curves = {}
    for name, (column, scale) in CURVES.items():
        try:
            series = samples.column(column)
        except KeyError as error:
            raise ValueError(str(error.args[0])) from None
        if not series.time_s.size:
            continue
        last = np.searchsorted(series.time_s, ends_s, side="right") - 1
        there = (last >= 0) & (ends_s - bin_s <= series.time_s[-1])
        values = series.value[np.maximum(last, 0)] * scale
        if np.any(values[there]):
            found[name] = [round(float(value), 3) if is_there else None for value, is_there in zip(values, there, strict=True)]
    return found


@dataclass
class GrowingCurves:
    """Curves of a connection whose samples are not complete yet, from their excerpt (hosts/sample_excerpt.py).

    Args:
        samples: where they will be.
        start_s: CLOCK_MONOTONIC of the first bin's beginning.
        bin_s: width of the bins.
    """

    samples: Path
    start_s: float
    bin_s: float
    _tail: Tail = field(init=False)
    _bin: int = field(default=0, init=False)
    """The one that the last row is in."""
    _last: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._tail = Tail(excerpt_file(self.samples))

    def advance(self) -> tuple[int, Curves]:
        """The number of the first bin that is new, and the curves from there on: none if nothing is new."""
        rows: list[list[int]] = []
        for line in self._tail.lines():
            try:
                values = [int(value) for value in line.split(b",")]
            except ValueError:
                continue  # the names of the columns
            if len(values) != len(COLUMNS):
                continue
            number = max(0, math.ceil((values[0] * NANOSECONDS - self.start_s) / self.bin_s) - 1)
            if self._last:
                rows += [self._last] * (number - self._bin)
            self._bin, self._last = number, values
        found: Curves = {}
        for name, (column, scale) in CURVES.items():
            at = COLUMNS.index(column)
            if any(row[at] for row in rows):
                found[name] = [round(row[at] * scale, 3) for row in rows]
        return self._bin - len(rows), found
