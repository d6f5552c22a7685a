"""Statistics of samples: throughput over time, means, fairness, and times of reductions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.collect.samples import Floats, Series

BIN_S = 0.1
BITS_PER_BYTE = 8


def throughput_bps(received: Series, start_s: float, end_s: float, bin_s: float = BIN_S) -> tuple[Floats, Floats]:
    """Throughput in bins.

    Args:
        received: cumulative bytes.
        start_s, end_s: interval, CLOCK_MONOTONIC seconds.
        bin_s: width of a bin, seconds.

    Returns:
        The middle of each bin in seconds after ``start_s``, and the payload throughput in it in bit/s; both of shape (bins,).
    """
    edges = np.arange(start_s, end_s + bin_s / 2, bin_s)
    bytes_in_bin = np.diff(received.at(edges))
    return (edges[:-1] + bin_s / 2) - start_s, bytes_in_bin * BITS_PER_BYTE / bin_s


def increase_per_bin(counter: Series, start_s: float, end_s: float, bin_s: float = BIN_S) -> Floats:
    """How much a cumulative counter grew in each bin; shape (bins,)."""
    edges = np.arange(start_s, end_s + bin_s / 2, bin_s)
    return np.diff(counter.at(edges))


def mean_bps(received: Series, start_s: float, end_s: float) -> float:
    """Mean payload throughput in an interval, bit/s."""
    return received.increase(start_s, end_s) * BITS_PER_BYTE / (end_s - start_s)


def jain_index(rates: Sequence[float]) -> float:
    """Jain's fairness index: 1 if all rates are equal, 1/n if one has everything. 0 if nothing was sent."""
    values = np.asarray(rates, dtype=float)
    squares = float(np.sum(values**2))
    return float(np.sum(values)) ** 2 / (values.size * squares) if squares > 0 else 0.0


def first_data_s(received: Series) -> float | None:
    """When the first payload had arrived (CLOCK_MONOTONIC seconds), or None if none did."""
    arrived = np.flatnonzero(received.value > 0)
    return float(received.time_s[arrived[0]]) if arrived.size else None


def reduced_at_s(allocated_bps: Series, after_s: float) -> float | None:
    """When an allocated rate first fell after ``after_s`` (CLOCK_MONOTONIC seconds), or None if it did not."""
    later = allocated_bps.time_s >= after_s
    values = allocated_bps.value[later]
    fell = np.flatnonzero(np.diff(values) < 0)
    return float(allocated_bps.time_s[later][fell[0] + 1]) if fell.size else None
