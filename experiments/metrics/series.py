"""Curves for figures, thinned out: named ``WHAT.TRANSMISSION``, each with its time axis ``….time_s`` of the same length."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments.metrics.counting import per_payload
from experiments.metrics.throughput import MEGABIT, subflow_acknowledged
from experiments.run.samples import Floats, Series
from experiments.statistics import BIN_S, increase_per_bin, throughput_bps

if TYPE_CHECKING:
    from experiments.run.outcome import Outcome, RunData

QUEUE_DROPS = "queue_drops"
POINTS = 1000
MAX_SUBFLOWS = 8
TIME = ".time_s"

Curve = tuple[Floats, Floats]


def wanted_series(run: RunData, names: Iterable[str]) -> dict[str, list[float]]:
    """The series that patterns name.

    ``throughput.NAME``: payload read, Mbit/s in bins of 100 ms, seconds after the run's start.
    ``subflows.NAME1``, ``…2``: payload acknowledged of each subflow, likewise.
    ``rtt.NAME``: the kernel's smoothed RTT, ms; seconds after the run's start.
    ``in_flight.NAME``: counted at the frame, kilobytes; seconds after the connection was ESTABLISHED.
    ``queue_drops``: packets dropped by all queues in bins of 100 ms; only if the links were watched.

    Args:
        run: what was carried out.
        names: with ``*`` for any transmission.
    """
    found: dict[str, list[float]] = {}
    patterns = list(names)
    for name, curve in _curves(run).items():
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            drawn = curve()
            if drawn is not None:
                found[name + TIME], found[name] = thinned(*drawn)
    return found


def thinned(time_s: Floats, value: Floats, points: int = POINTS) -> tuple[list[float], list[float]]:
    """At most ``points`` samples, evenly picked, rounded to what can be seen."""
    if time_s.size == 0:
        return [], []
    picked = np.unique(np.linspace(0, time_s.size - 1, min(points, time_s.size)).round().astype(int))
    return [round(float(time), 4) for time in time_s[picked]], [round(float(one), 4) for one in value[picked]]


def _curves(run: RunData) -> dict[str, Callable[[], Curve | None]]:
    curves: dict[str, Callable[[], Curve | None]] = {QUEUE_DROPS: partial(_drops, run)}
    kilobytes = per_payload(run.scenario, "frame") / 1e3
    for name, outcome in run.outcomes.items():
        curves[f"throughput.{name}"] = partial(_throughput, run, outcome.received)
        curves[f"rtt.{name}"] = partial(_sampled, outcome, "srtt_us", 1e-3, run.start_s)
        curves[f"in_flight.{name}"] = partial(_sampled, outcome, "bytes_in_flight", kilobytes, outcome.connected_s)
        for number in range(1, MAX_SUBFLOWS + 1):
            curves[f"subflows.{name}{number}"] = partial(_subflow, run, name, number)
    return curves


def _subflow(run: RunData, name: str, number: int) -> Curve | None:
    acknowledged = subflow_acknowledged(run, name, number)
    return None if acknowledged is None else _throughput(run, acknowledged)


def _throughput(run: RunData, received: Series) -> Curve:
    time_s, rate_bps = throughput_bps(received, run.start_s, run.start_s + run.scenario.run.duration_s)
    return time_s, rate_bps / MEGABIT


def _drops(run: RunData) -> Curve:
    dropped = increase_per_bin(run.queue_drops_over_time(), run.start_s, run.start_s + run.scenario.run.duration_s)
    return np.asarray((np.arange(dropped.size) + 0.5) * BIN_S, dtype=float), dropped


def _sampled(outcome: Outcome, column: str, scale: float, since_s: float) -> Curve | None:
    """None if the transmission was not sampled."""
    try:
        series = outcome.column(column)
    except OSError:
        return None
    return series.time_s - since_s, series.value * scale
