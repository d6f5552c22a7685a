"""How the senders' samples are distributed over time: means, extremes, and the parts of box plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.collect.samples import Floats
from engine.collect.statistics import BITS_PER_BYTE, mean_bps
from engine.metrics.counting import payload_bytes
from engine.metrics.registry import Scalar, metric
from engine.metrics.throughput import window_s

if TYPE_CHECKING:
    from engine.collect.run_data import RunData

WHISKER = 1.5
"""A whisker ends at the last sample within this many interquartile ranges of the box (Tukey 1977)."""

TAKEN = ("mean", "least", "low", "q1", "median", "q3", "high", "most", "p95")
"""Parts of a distribution: ``low`` and ``high`` are the ends of a box plot's whiskers, ``q1``, ``median`` and ``q3`` its box, ``p95`` is
the 95th percentile."""


@metric
def sample_value(
    run: RunData,
    _point: Mapping[str, Scalar],
    *,
    column: str,
    take: str,
    of: Sequence[str] = (),
    scale: float = 1.0,
    added: bool = False,
    from_s: float | None = None,
    to_s: float | None = None,
) -> float | None:
    """The mean, an extreme or a part of the box of a column of the senders' samples; None without any.

    Args:
        run: the run's data.
        column: of the samples.
        take: one of ``TAKEN``.
        of: transmissions; without, all.
        scale: values are multiplied by it.
        added: the values that all have at a moment are added up; else the samples of all are put together.
        from_s, to_s: seconds after the run's start; without, the measuring window.

    Raises:
        ValueError: there is no such part.
    """
    if take not in TAKEN:
        raise ValueError(f"take: {take!r} is none of {', '.join(TAKEN)}")
    values = _pooled(run, of, column, added, window_s(run, from_s, to_s))
    return distribution(values)[take] * scale if values.size else None


@metric
def packets_in_flight(
    run: RunData, point: Mapping[str, Scalar], *, take: str, of: Sequence[str] = (), from_s: float | None = None, to_s: float | None = None
) -> float | None:
    """The same of the full packets that are in flight, of all transmissions together."""
    scale = 1 / payload_bytes(run.scenario)
    return sample_value(run, point, column="bytes_in_flight", take=take, of=of, scale=scale, added=True, from_s=from_s, to_s=to_s)


@metric
def packet_mean_rtt_ms(
    run: RunData, point: Mapping[str, Scalar], *, of: Sequence[str] = (), from_s: float | None = None, to_s: float | None = None
) -> float | None:
    """Mean RTT of the packets by Little's law: mean bytes in flight over the throughput; None if nothing was received.

    A mean over time counts a moment with few packets as much as one with many; this counts packets.
    """
    in_flight = sample_value(run, point, column="bytes_in_flight", take="mean", of=of, added=True, from_s=from_s, to_s=to_s)
    received_bps = sum(mean_bps(run[name].received, *window_s(run, from_s, to_s)) for name in of or run.transmissions)
    return 1e3 * BITS_PER_BYTE * in_flight / received_bps if in_flight is not None and received_bps > 0 else None


def distribution(values: Floats) -> dict[str, float]:
    """Everything of ``TAKEN``, of values of shape (samples,), at least one."""
    least, q1, median, q3, most, p95 = (float(one) for one in np.percentile(values, (0, 25, 50, 75, 100, 95)))
    reach = WHISKER * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    found = (float(values.mean()), least, float(inside.min()), q1, median, q3, float(inside.max()), most, p95)
    return dict(zip(TAKEN, found, strict=True))


def _pooled(run: RunData, of: Sequence[str], column: str, added: bool, interval_s: tuple[float, float]) -> Floats:
    from_s, to_s = interval_s
    all_series = [run[name].column(column) for name in of or run.transmissions]
    if added:
        times = all_series[0].time_s
        times = times[(times >= from_s) & (times <= to_s)]
        return np.asarray(sum(series.at(times) for series in all_series), dtype=float)
    return np.concatenate([series.value[(series.time_s >= from_s) & (series.time_s <= to_s)] for series in all_series])
