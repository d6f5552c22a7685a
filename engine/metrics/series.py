"""Curves for figures, thinned out: named ``WHAT.TRANSMISSION``, each with its time axis ``….time_s`` of the same length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.collect.samples import Floats, Series
from engine.collect.statistics import BIN_S, BITS_PER_BYTE, increase_per_bin, jain_index, throughput_bps
from engine.metrics.counting import payload_bytes, per_payload
from engine.metrics.throughput import MEGABIT, subflow_acknowledged
from engine.plan.ideal import ideal

if TYPE_CHECKING:
    from engine.collect.run_data import RunData, TransmissionData

QUEUE_DROPS = "queue_drops"
PROGRAMS_DONE = "programs_done"
JAIN_CUMULATIVE, JAIN_RECENT = "jain_cumulative", "jain_recent"
RECENT_S = 5.0
TOTAL = "total"
COMPLETION = "completion."
COMPLETION_PARTS = ("size_bytes", "took_s", "ideal_s")
POINTS = 1000
CURVE_POINTS = 100
MAX_SUBFLOWS = 8
TIME = ".time_s"
CURVES, CURVE_DIGITS = "curves", 3

Curve = tuple[Floats, Floats]


def wanted_series(run: RunData, names: Iterable[str]) -> dict[str, list[float]]:
    """The series that patterns name.

    ``throughput.NAME``: payload read, Mbit/s in bins of 100 ms, seconds after the run's start.
    ``subflows.NAME1``, ``…2``: payload acknowledged of each subflow, likewise.
    ``rtt.NAME``: the kernel's smoothed RTT, ms; seconds after the run's start.
    ``in_flight.NAME``: counted at the frame, kilobytes; seconds after the connection was ESTABLISHED.
    ``packets.NAME``: full packets in flight; seconds after the run's start.
    ``received.NAME``: full packets' worth of payload read so far; seconds after the run's start.
    ``window.NAME``: the congestion window, packets; seconds after the run's start.
    ``fair.NAME``: payload of the ideal max-min fair share, Mbit/s in bins of 100 ms.
    ``jain_cumulative``: Jain's index of the mean throughputs from the run's start on, at the end of each bin of 100 ms.
    ``jain_recent``: the same of the 5 s before.
    ``programs_done``: how many programs have ended, each a step; only of a scenario with programs.
    ``total``: payload read of all transmissions together, Mbit/s in bins of 100 ms, seconds after the run's start.
    ``completion.size_bytes``, ``completion.took_s``, ``completion.ideal_s``: of each transmission of a given size that was to start in the
    measuring window, not thinned out and without time axis (``engine.collect.completions``).
    ``queue.s1-s2``: packets in the queues of a link between switches, now and then; seconds after the run's start.
    ``queue_drops``: packets dropped by all queues in bins of 100 ms; only if the links were watched.

    Args:
        run: the run's data.
        names: with ``*`` for any transmission.
    """
    found: dict[str, list[float]] = {}
    patterns = list(names)
    for name, drawn in _drawn(run, patterns):
        found[name + TIME], found[name] = thinned(*drawn)
    wanted = [part for part in COMPLETION_PARTS if any(fnmatchcase(COMPLETION + part, pattern) for pattern in patterns)]
    return found | {COMPLETION + part: [round(getattr(one, part), 6) for one in run.completions] for part in wanted}


def wanted_curves(run: RunData, names: Iterable[str]) -> dict[str, list[float]]:
    """Series as :func:`wanted_series` names them, on one time axis, ``curves.time_s``. The run has ``CURVE_POINTS`` equal parts, and each
    value is a part's mean; a part without a sample has the value before it.

    Args:
        run: the run's data.
        names: with ``*`` for any transmission; none: nothing.
    """
    edges_s = np.linspace(0.0, run.scenario.run.duration_s, CURVE_POINTS + 1)
    found = {
        f"{CURVES}.{name}": [float(f"{value:.{CURVE_DIGITS}g}") for value in _means(*drawn, edges_s)]
        for name, drawn in _drawn(run, list(names))
    }
    return {CURVES + TIME: [round(float(time), 3) for time in (edges_s[:-1] + edges_s[1:]) / 2]} | found if found else {}


def _means(time_s: Floats, value: Floats, edges_s: Floats) -> Floats:
    counts, _ = np.histogram(time_s, edges_s)
    sums, _ = np.histogram(time_s, edges_s, weights=value)
    means: list[float] = []
    for count, total in zip(counts, sums, strict=True):
        means.append(total / count if count else means[-1] if means else 0.0)
    return np.asarray(means, dtype=float)


def thinned(time_s: Floats, value: Floats, points: int = POINTS) -> tuple[list[float], list[float]]:
    """At most ``points`` samples, evenly picked, rounded to the digits that can be seen."""
    if time_s.size == 0:
        return [], []
    picked = np.linspace(0, time_s.size - 1, min(points, time_s.size)).round().astype(int)
    return [round(float(time), 4) for time in time_s[picked]], [round(float(one), 4) for one in value[picked]]


def _drawn(run: RunData, patterns: Sequence[str]) -> Iterator[tuple[str, Curve]]:
    """Those curves of the run that patterns name, and that there are."""
    for name, curve in _curves(run).items() if patterns else ():
        if any(fnmatchcase(name, pattern) for pattern in patterns) and (drawn := curve()) is not None:
            yield name, drawn


def _curves(run: RunData) -> dict[str, Callable[[], Curve | None]]:
    curves: dict[str, Callable[[], Curve | None]] = {
        QUEUE_DROPS: partial(_drops, run),
        PROGRAMS_DONE: partial(_done, run),
        TOTAL: partial(_total, run),
        JAIN_CUMULATIVE: partial(_jain, run, None),
        JAIN_RECENT: partial(_jain, run, RECENT_S),
    }
    looked_at, switches = run.links.watched[0][1] if run.links.watched else [], set(run.scenario.layout.switches)
    curves |= {f"queue.{one.name}": partial(_queue, run, one.name) for one in looked_at if one.is_between(switches)}
    kilobytes = per_payload(run.scenario, "frame") / 1e3
    for name, data in run.transmissions.items():
        curves[f"throughput.{name}"] = partial(_throughput, run, data.received)
        curves[f"received.{name}"] = partial(_received, run, data.received)
        curves[f"rtt.{name}"] = partial(_sampled, data, "srtt_us", 1e-3, run.start_s)
        curves[f"window.{name}"] = partial(_sampled, data, "cwnd_packets", 1.0, run.start_s)
        curves[f"packets.{name}"] = partial(_sampled, data, "bytes_in_flight", 1 / payload_bytes(run.scenario), run.start_s)
        curves[f"fair.{name}"] = partial(_fair, run, name)
        curves[f"in_flight.{name}"] = partial(_sampled, data, "bytes_in_flight", kilobytes, data.connected_s)
        for number in range(1, MAX_SUBFLOWS + 1):
            curves[f"subflows.{name}{number}"] = partial(_subflow, run, name, number)
    return curves


def _subflow(run: RunData, name: str, number: int) -> Curve | None:
    acknowledged = subflow_acknowledged(run, name, number)
    return None if acknowledged is None else _throughput(run, acknowledged)


def _throughput(run: RunData, received: Series) -> Curve:
    time_s, rate_bps = throughput_bps(received, run.start_s, run.start_s + run.scenario.run.duration_s)
    return time_s, rate_bps / MEGABIT


def _total(run: RunData) -> Curve:
    edges = run.start_s + _edges_s(run)
    read = np.sum([np.diff(one.received.at(edges)) for one in run.transmissions.values()], axis=0)
    return edges[:-1] - run.start_s + BIN_S / 2, read * BITS_PER_BYTE / BIN_S / MEGABIT


def _received(run: RunData, received: Series) -> Curve:
    time_s = np.linspace(0.0, run.scenario.run.duration_s, POINTS)
    return time_s, received.at(run.start_s + time_s) / payload_bytes(run.scenario)


def _drops(run: RunData) -> Curve:
    dropped = increase_per_bin(run.queue_drops_over_time(), run.start_s, run.start_s + run.scenario.run.duration_s)
    return np.asarray((np.arange(dropped.size) + 0.5) * BIN_S, dtype=float), dropped


def _queue(run: RunData, link: str) -> Curve:
    packets = run.links.queue_over_time(link)
    return packets.time_s - run.start_s, packets.value


def _done(run: RunData) -> Curve | None:
    ends_s = sorted(
        one.started_s + one.took_s for one in run.programs.values() if one.took_s is not None and one.has_succeeded and not one.is_server
    )
    if not run.programs:
        return None
    return np.array([0.0, *ends_s]), np.arange(len(ends_s) + 1, dtype=float)


def _fair(run: RunData, name: str) -> Curve:
    edges = _edges_s(run)
    model = ideal(run.scenario)
    share = [model.mean_bps(name, begin_s, end_s) / MEGABIT for begin_s, end_s in pairwise(edges)]
    return edges[:-1] + BIN_S / 2, np.asarray(share, dtype=float)


def _jain(run: RunData, last_s: float | None) -> Curve:
    edges = _edges_s(run)
    since = np.zeros_like(edges) if last_s is None else np.maximum(edges - last_s, 0.0)
    read = [one.received.at(run.start_s + edges) - one.received.at(run.start_s + since) for one in run.transmissions.values()]
    return edges[1:], np.asarray([jain_index(column) for column in np.transpose(read)[1:]], dtype=float)


def _edges_s(run: RunData) -> Floats:
    """Of the bins, seconds after the run's start."""
    return np.asarray(np.arange(0.0, run.scenario.run.duration_s + BIN_S / 2, BIN_S), dtype=float)


def _sampled(data: TransmissionData, column: str, scale: float, since_s: float) -> Curve | None:
    """None if the transmission was not sampled."""
    try:
        series = data.column(column)
    except OSError:
        return None
    return series.time_s - since_s, series.value * scale
