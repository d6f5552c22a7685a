"""How what there is was shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.metrics.registry import Scalar, metric
from experiments.metrics.run_data import RunData
from experiments.metrics.throughput import mean_mbps
from topo.layout import plan_network
from topo.routes import way_between

HOSTS_LINKS = 2


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
def deliverable_percent(run: RunData, _point: Mapping[str, Scalar], *, loss_percent: float, lossy: str) -> float:
    """What is left of the fair shares, added up, if everybody sends on at them while packets are lost on the way.

    Args:
        run: for its scenario and fair shares.
        loss_percent: on each lossy link.
        lossy: ``last``: the link to the receiver; ``trunks``: all links between switches; ``none``.

    Raises:
        ValueError: ``lossy`` is none of these.
    """
    plan = plan_network(run.scenario)
    left = 0.0
    for one in run.scenario.transmissions:
        links = len(way_between(plan, one.sender, one.receiver)) - 1
        count = {"last": 1, "trunks": links - HOSTS_LINKS, "none": 0}.get(lossy)
        if count is None:
            raise ValueError(f"lossy: {lossy!r} is none of last, trunks, none")
        left += run.fair_mbps[one.name] * (1 - loss_percent / 100) ** count
    return 100 * left / sum(run.fair_mbps.values())


def _shares_percent(run: RunData, point: Mapping[str, Scalar], share_mbps: float, of: Sequence[str], counted: str) -> list[float]:
    return [100 * (mean_mbps(run, point, of=name, counted=counted) or 0.0) / share_mbps for name in of or run.outcomes]
