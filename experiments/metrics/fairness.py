"""How what there is was shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

from experiments.metrics.registry import Scalar, metric
from experiments.metrics.throughput import mean_mbps
from topo.layout import plan_network
from topo.routes import way_between

if TYPE_CHECKING:
    from experiments.run.outcome import RunData


@metric
def apart_percent(run: RunData, point: Mapping[str, Scalar], *, of: Sequence[str]) -> float | None:
    """By how much the largest throughput of the measuring window is above the smallest; None if the smallest is nothing."""
    means = [mean_mbps(run, point, of=name) or 0.0 for name in of]
    return 100 * (max(means) / min(means) - 1) if min(means) > 0 else None


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
def deliverable_percent(run: RunData, _point: Mapping[str, Scalar]) -> float:
    """What is left of the fair shares, added up, if everybody sends on at them while the links lose packets by chance."""
    plan = plan_network(run.scenario)
    left = 0.0
    for one in run.scenario.transmissions:
        kept = (1 - plan.direction(*step).loss for step in pairwise(way_between(plan, one.sender, one.receiver)))
        left += run.fair_mbps[one.name] * prod(kept)
    return 100 * left / sum(run.fair_mbps.values())


def _shares_percent(run: RunData, point: Mapping[str, Scalar], share_mbps: float, of: Sequence[str], counted: str) -> list[float]:
    return [100 * (mean_mbps(run, point, of=name, counted=counted) or 0.0) / share_mbps for name in of or run.outcomes]
