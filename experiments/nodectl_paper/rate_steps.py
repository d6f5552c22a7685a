"""Allocated rates as the senders had them: steps over time, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from experiments.reproduction.transfers import Outcome

Steps = list[tuple[float, float]]
"""(time, rate from then on); times do not decrease."""


def steps_of(outcome: Outcome) -> Steps:
    """One sender's rate in bit/s of the frame; 0 once it has ended."""
    steps = [(float(time_s), float(rate_bps)) for time_s, rate_bps in outcome.summary["rates"]]
    end_s = outcome.summary["end_s"]
    return [*steps, (float(end_s), 0.0)] if end_s is not None else steps


def total_rate(outcomes: Sequence[Outcome]) -> Steps:
    """The sum of the senders' rates."""
    return add_up([steps_of(outcome) for outcome in outcomes])


def add_up(senders: Sequence[Steps]) -> Steps:
    """The sum of several rates over time."""
    changes = sorted((time_s, after - before) for steps in senders for (_, before), (time_s, after) in pairwise([(0.0, 0.0), *steps]))
    total, rate = [], 0.0
    for time_s, change in changes:
        rate += change
        total.append((time_s, rate))
    return total


def seconds_above(steps: Steps, limit_bps: float) -> float:
    """For how long the rate is above a limit."""
    return sum((end_s - begin_s for (begin_s, rate), (end_s, _) in pairwise(steps) if rate > limit_bps), 0.0)


def settled_s(outcomes: Sequence[Outcome], share_bps: float, tolerance: float, start_s: float) -> float | None:
    """Seconds after ``start_s`` from which on all have their share until they end; None if some never have."""
    latest = 0.0
    for outcome in outcomes:
        rates = [(float(time_s), float(rate)) for time_s, rate in outcome.summary["rates"]]
        if not rates or abs(rates[-1][1] - share_bps) > tolerance * share_bps:
            return None
        since = rates[-1][0]
        for time_s, rate in reversed(rates):
            if abs(rate - share_bps) > tolerance * share_bps:
                break
            since = time_s
        latest = max(latest, since - start_s)
    return latest
