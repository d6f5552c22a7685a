"""Rates that a scheme allocates to its senders, as the senders had them: steps over time, and metrics that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from engine.metrics.registry import Scalar, metric
from engine.metrics.throughput import MEGABIT

if TYPE_CHECKING:
    from engine.collect.run_data import RunData, TransmissionData

Steps = list[tuple[float, float]]
"""(time, rate from then on); times do not decrease."""

MESSAGES = ("requests", "refreshes", "successes", "failures", "reduces", "increases")


@metric
def first_allocated_mbps(run: RunData, _point: Mapping[str, Scalar], *, of: str) -> float | None:
    """The first rate a transmission was given, Mbit/s of the frame."""
    rates = run[of].summary["rates"]
    return float(rates[0][1]) / MEGABIT if rates else None


@metric
def allocated_count(run: RunData, _point: Mapping[str, Scalar]) -> float:
    """How many transmissions got a rate."""
    return float(sum(one.summary["negotiation"] == "allocated" for one in run.transmissions.values()))


@metric
def messages(run: RunData, _point: Mapping[str, Scalar], *, kinds: Sequence[str] = MESSAGES) -> float:
    """Messages that all senders sent and got, of some kinds."""
    return float(sum(one.summary["messages"].get(kind, 0) for one in run.transmissions.values() for kind in kinds))


@metric
def seconds_above_capacity(
    run: RunData, _point: Mapping[str, Scalar], *, capacity_mbps: float, of: Sequence[str] = (), tolerance_percent: float = 1.0
) -> float:
    """For how long the allocated rates of some transmissions, by default of all, add up to more than a link carries."""
    return seconds_above(total_rate(_chosen(run, of)), capacity_mbps * MEGABIT * (1 + tolerance_percent / 100))


@metric
def settled_s(
    run: RunData,
    _point: Mapping[str, Scalar],
    *,
    share_mbps: float,
    after_s: float = 0.0,
    of: Sequence[str] = (),
    tolerance_percent: float = 2.0,
) -> float | None:
    """Seconds after ``after_s`` from which on all have their share until they end; None if some never have."""
    begin_s, share_bps = run.start_s + after_s, share_mbps * MEGABIT
    latest = 0.0
    for data in _chosen(run, of):
        rates = [(float(time_s), abs(float(rate) - share_bps) <= tolerance_percent / 100 * share_bps) for time_s, rate in _rates(data)]
        if not rates or not rates[-1][1]:
            return None
        since = max((position + 1 for position, (_, there) in enumerate(rates) if not there), default=0)
        latest = max(latest, rates[since][0] - begin_s)
    return latest


def total_rate(transmissions: Sequence[TransmissionData]) -> Steps:
    """The sum of the senders' rates in bit/s of the frame; a sender that has ended has none."""
    changes = sorted((at_s, after - before) for one in transmissions for (_, before), (at_s, after) in pairwise([(0.0, 0.0), *_steps(one)]))
    total, rate = [], 0.0
    for at_s, change in changes:
        rate += change
        total.append((at_s, rate))
    return total


def seconds_above(steps: Steps, limit_bps: float) -> float:
    """For how long the rate is above a limit."""
    return sum((end_s - begin_s for (begin_s, rate), (end_s, _) in pairwise(steps) if rate > limit_bps), 0.0)


def without_rate_s(data: TransmissionData) -> float | None:
    """When a sender that is through had no rate any more: when all was sent, where it gave the rate up then, else at its end."""
    without_s: float | None = data.summary["rates"][-1][0] if _has_given_up(data) else data.summary["end_s"]
    return without_s


def _has_given_up(data: TransmissionData) -> bool:
    rates = data.summary["rates"]
    return data.is_complete and bool(rates) and not rates[-1][1]


def _rates(data: TransmissionData) -> Sequence[tuple[float, float]]:
    """(time, bit/s) while it had something to send."""
    rates: Sequence[tuple[float, float]] = data.summary["rates"]
    return rates[:-1] if _has_given_up(data) else rates


def _steps(data: TransmissionData) -> Steps:
    steps = [(float(at_s), float(rate_bps)) for at_s, rate_bps in data.summary["rates"]]
    end_s = data.summary["end_s"]
    return [*steps, (float(end_s), 0.0)] if end_s is not None else steps


def _chosen(run: RunData, of: Sequence[str]) -> list[TransmissionData]:
    return [run[name] for name in of] if of else list(run.transmissions.values())
