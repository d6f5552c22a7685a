"""How fairly transmissions shared the links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

from engine.collect.statistics import jain_index, mean_bps
from engine.metrics.registry import Scalar, metric
from engine.metrics.throughput import delivered_bps, mean_mbps, window_s
from engine.plan.ideal import ideal
from topo.layout import plan_network
from topo.routes import way_between

if TYPE_CHECKING:
    from engine.collect.run_data import RunData


@metric
def apart_percent(run: RunData, point: Mapping[str, Scalar], *, of: Sequence[str]) -> float | None:
    """By how much the largest throughput of the measuring window is above the smallest; None if the smallest is nothing."""
    means = [mean_mbps(run, point, of=name) or 0.0 for name in of]
    return 100 * (max(means) / min(means) - 1) if min(means) > 0 else None


@metric
def jain_cumulative(run: RunData, _point: Mapping[str, Scalar], *, of: Sequence[str] = ()) -> float:
    """Jain's index of the mean throughputs from the run's start to the end of the measuring window."""
    return _jain(run, of, window_s(run, from_s=0.0))


@metric
def jain_recent(run: RunData, _point: Mapping[str, Scalar], *, last_s: float, of: Sequence[str] = ()) -> float:
    """Jain's index of the mean throughputs of the last ``last_s`` seconds of the measuring window."""
    _, end_s = run.window_s
    return _jain(run, of, (end_s - last_s, end_s))


@metric
def least_share_percent(
    run: RunData, point: Mapping[str, Scalar], *, share_mbps: float, of: Sequence[str] = (), counted: str = "frame"
) -> float:
    """The smallest throughput of the measuring window over a share, of all transmissions by default."""
    return min(_shares_percent(run, point, share_mbps, of, counted))


@metric
def largest_share_percent(
    run: RunData, point: Mapping[str, Scalar], *, share_mbps: float, of: Sequence[str] = (), counted: str = "frame"
) -> float:
    """The largest throughput of the measuring window over a share."""
    return max(_shares_percent(run, point, share_mbps, of, counted))


@metric
def fair_percent(run: RunData, _point: Mapping[str, Scalar], *, from_s: float | None = None, to_s: float | None = None) -> float | None:
    """Throughput delivered to all receivers together, in percent of the sum of the max-min fair shares, by default in the measuring window.

    For a link whose rate changes, this is the used part of its capacity. None if the shares are nothing.
    """
    begin_s, end_s = window_s(run, from_s, to_s)
    model = ideal(run.scenario)
    fair_bps = sum(model.mean_bps(name, begin_s - run.start_s, end_s - run.start_s) for name in run.transmissions)
    return 100 * delivered_bps(run, begin_s, end_s) / fair_bps if fair_bps > 0 else None


@metric
def deliverable_percent(run: RunData, _point: Mapping[str, Scalar]) -> float:
    """Percent of the fair shares, added up, that arrives if everybody sends on at them while the links lose packets by chance."""
    plan = plan_network(run.scenario)
    left = 0.0
    for one in run.scenario.transmissions:
        kept = (1 - plan.direction(*step).loss for step in pairwise(way_between(plan, one.sender, one.receiver)))
        left += run.fair_mbps[one.name] * prod(kept)
    return 100 * left / sum(run.fair_mbps.values())


def _jain(run: RunData, of: Sequence[str], interval_s: tuple[float, float]) -> float:
    return jain_index([mean_bps(run[name].received, *interval_s) for name in of or run.transmissions])


def _shares_percent(run: RunData, point: Mapping[str, Scalar], share_mbps: float, of: Sequence[str], counted: str) -> list[float]:
    return [100 * (mean_mbps(run, point, of=name, counted=counted) or 0.0) / share_mbps for name in of or run.transmissions]
