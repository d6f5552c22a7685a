"""Rounds that everybody keeps at the same times: at whole multiples of their period, whenever a program was started."""

from __future__ import annotations

EARLY = 0.01
"""Part of a period by which a timer may wake somebody too early; the round that it was to wake him for has begun then."""


def until_next_round_s(now_s: float, period_s: float) -> float:
    """How long it is until the next round, in seconds; more than 0.

    Args:
        now_s: CLOCK_MONOTONIC seconds.
        period_s: from one round to the next.
    """
    rounds = (now_s + EARLY * period_s) // period_s
    return (rounds + 1) * period_s - now_s
