"""What a sender's kernel said of its connection, at the ends of bins: RTT, window, packets in flight, the rate it was told."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.collect.samples import SenderSamples

CURVES = {
    "rtt_ms": ("srtt_us", 1e-3),
    "window": ("cwnd_packets", 1.0),
    "in_flight": ("unacked_packets", 1.0),
    "allocated_mbps": ("allocated_rate_bps", 1e-6),
}
"""Names of curves; the columns that they are from, and what these are multiplied with."""


def sender_curves(file: Path, start_s: float, bin_s: float, bins: int) -> dict[str, list[float | None]]:
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
    found: dict[str, list[float | None]] = {}
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
