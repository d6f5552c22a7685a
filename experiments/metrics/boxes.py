"""How the senders' samples are distributed over time, of all transmissions: means, percentiles and the parts of box plots.

All metrics here take ``of`` (transmissions; without, all), ``from_s`` and ``to_s`` (seconds after the run's start; without, the measuring
window), and those of a column ``scale``, by which values are multiplied, and ``added``: the values that all have at a moment are added up;
else the samples of all are put together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from experiments.metrics.counting import payload_bytes
from experiments.metrics.registry import Scalar, metric
from experiments.metrics.throughput import window_s
from experiments.run.samples import Floats
from experiments.statistics import BITS_PER_BYTE, mean_bps

if TYPE_CHECKING:
    from experiments.run.outcome import RunData

WHISKER = 1.5
"""A whisker ends at the last sample within this many interquartile ranges of the box (Tukey 1977)."""

BOX = ("low", "q1", "median", "q3", "high")


@metric
def sample_mean(
    run: RunData,
    _point: Mapping[str, Scalar],
    *,
    column: str,
    of: Sequence[str] = (),
    scale: float = 1.0,
    added: bool = False,
    from_s: float | None = None,
    to_s: float | None = None,
) -> float | None:
    """Mean over time of a column of the senders' 1 ms samples."""
    values = _pooled(run, of, column, added, window_s(run, from_s, to_s))
    return float(values.mean()) * scale if values.size else None


@metric
def sample_percentile(
    run: RunData,
    _point: Mapping[str, Scalar],
    *,
    column: str,
    percent: float,
    of: Sequence[str] = (),
    scale: float = 1.0,
    added: bool = False,
    from_s: float | None = None,
    to_s: float | None = None,
) -> float | None:
    """A percentile of a column of the senders' 1 ms samples; 0 is the smallest, 100 the largest."""
    values = _pooled(run, of, column, added, window_s(run, from_s, to_s))
    return float(np.percentile(values, percent)) * scale if values.size else None


@metric
def sample_box(
    run: RunData,
    _point: Mapping[str, Scalar],
    *,
    column: str,
    part: str,
    of: Sequence[str] = (),
    scale: float = 1.0,
    added: bool = False,
    from_s: float | None = None,
    to_s: float | None = None,
) -> float | None:
    """A part of the box plot of a column of the senders' 1 ms samples.

    ``low`` and ``high`` are the ends of the whiskers, ``q1``, ``median`` and ``q3`` the box.

    Raises:
        ValueError: a box has no such part.
    """
    if part not in BOX:
        raise ValueError(f"part: {part!r} is none of {', '.join(BOX)}")
    values = _pooled(run, of, column, added, window_s(run, from_s, to_s))
    return box(values)[BOX.index(part)] * scale if values.size else None


@metric
def packets_in_flight_box(
    run: RunData,
    point: Mapping[str, Scalar],
    *,
    part: str,
    of: Sequence[str] = (),
    from_s: float | None = None,
    to_s: float | None = None,
) -> float | None:
    """A part of the box plot of the full packets that are in flight, of all transmissions together."""
    scale = 1 / payload_bytes(run.scenario)
    return sample_box(run, point, column="bytes_in_flight", part=part, of=of, scale=scale, added=True, from_s=from_s, to_s=to_s)


@metric
def packet_mean_rtt_ms(
    run: RunData, point: Mapping[str, Scalar], *, of: Sequence[str] = (), from_s: float | None = None, to_s: float | None = None
) -> float | None:
    """Mean RTT of the packets by Little's law: mean bytes in flight over the throughput; None if nothing was received.

    A mean over time counts a moment with few packets as much as one with many; this counts packets.
    """
    in_flight = sample_mean(run, point, column="bytes_in_flight", of=of, added=True, from_s=from_s, to_s=to_s)
    received_bps = sum(mean_bps(run[name].received, *window_s(run, from_s, to_s)) for name in of or run.outcomes)
    return 1e3 * BITS_PER_BYTE * in_flight / received_bps if in_flight is not None and received_bps > 0 else None


def box(values: Floats) -> tuple[float, float, float, float, float]:
    """Lower whisker, first quartile, median, third quartile, upper whisker; of shape (samples,), at least one."""
    q1, median, q3 = (float(one) for one in np.percentile(values, (25, 50, 75)))
    reach = WHISKER * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    return float(inside.min()), q1, median, q3, float(inside.max())


def _pooled(run: RunData, of: Sequence[str], column: str, added: bool, interval_s: tuple[float, float]) -> Floats:
    from_s, to_s = interval_s
    all_series = [run[name].column(column) for name in of or run.outcomes]
    if added:
        times = all_series[0].time_s
        times = times[(times >= from_s) & (times <= to_s)]
        return np.asarray(sum(series.at(times) for series in all_series), dtype=float)
    return np.concatenate([series.value[(series.time_s >= from_s) & (series.time_s <= to_s)] for series in all_series])
