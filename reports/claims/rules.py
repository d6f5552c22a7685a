"""Rules over the means, by which claims and their causes are judged at each point of a grid that has the values.

Where there are several seeds, a rule holds if it does over nearly all bootstrap samples of them, and does not hold if it does over nearly
none. Between, it is open: chance alone could have brought either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean

from reports.claims.intervals import CONFIDENCE, support
from reports.results import CONSTANT, BySeed, Results, at_seed, common_seeds
from scenario.expressions import ExpressionError, evaluate
from scenario.file import Scalar

Means = Mapping[str, Mapping[str, float | None]]
"""The means of each name in a rule, by scheme."""

TAIL = (1 - CONFIDENCE) / 2


class Holds(Enum):
    """Whether a rule holds at a point."""

    YES = "yes"
    NO = "no"
    OPEN = "open"
    """It holds with some seeds and not with others, so the mean's interval leaves it open."""


@dataclass(frozen=True)
class Ruling:
    """The outcome of rules at one point.

    Args:
        point: the variables that vary.
        means: the measured ones.
        holds: whether each rule holds, in their order; None where a value is missing that one of them needs.
        seeds: number of seeds over which the rules were judged; 0: nothing that they name is drawn, so there is no chance in it.
    """

    point: Mapping[str, Scalar]
    means: Means
    holds: tuple[Holds, ...] | None
    seeds: int = 0


def at_points(
    rules: Sequence[str],
    values: Mapping[str, str],
    results: Results,
    schemes: Sequence[str],
    per: Sequence[str] | None,
    where: Mapping[str, Scalar],
) -> Iterator[Ruling]:
    """Evaluate rules at every point.

    Args:
        rules: expressions over ``NAME.SCHEME`` and the grid's variables.
        values: names in the rules, and the values that they stand for.
        results: with ratios.
        schemes: that the rules may name.
        per: variables whose combinations are the points; None: all that vary.
        where: only at these points.
    """
    for point in results.points(per, where, next(iter(values.values()))):
        at = {**where, **point}
        found = {name: {scheme: results.by_seed(value, scheme, at) for scheme in schemes} for name, value in values.items()}
        # A scheme that no rule names must not leave a comparison without common seeds.
        named = [by_seed for name, of in found.items() for scheme, by_seed in of.items() if by_seed and _names(rules, name, scheme)]
        seeds = common_seeds(named) if named else []
        drawn = [seed for seed in seeds if seed != CONSTANT]
        means = _means(found, seeds)
        try:
            holds = tuple(_judged(rule, at, found, seeds) for rule in rules)
        except ExpressionError:
            yield Ruling(point, means, None)
        else:
            yield Ruling(point, means, holds, len(drawn))


def _names(rules: Sequence[str], name: str, scheme: str) -> bool:
    return any(f"{name}.{scheme}" in rule or f"{name}[" in rule for rule in rules)


def _judged(rule: str, at: Mapping[str, Scalar], found: Mapping[str, Mapping[str, BySeed]], seeds: Sequence[int]) -> Holds:
    def over(sample: Sequence[int]) -> bool:
        return bool(evaluate(rule, {**at, **_means(found, [seeds[position] for position in sample])}))

    holds = over(range(len(seeds)))
    if len(seeds) < 2:
        return Holds.YES if holds else Holds.NO
    part = support(over, len(seeds))
    return Holds.YES if part >= 1 - TAIL else Holds.NO if part <= TAIL else Holds.OPEN


def _means(found: Mapping[str, Mapping[str, BySeed]], seeds: Sequence[int]) -> dict[str, dict[str, float | None]]:
    return {
        name: {scheme: _mean(by_seed, seeds) for scheme, by_seed in of.items()}
        for name, of in found.items()
    }  # fmt: skip


def _mean(by_seed: BySeed, seeds: Sequence[int]) -> float | None:
    """The mean over those of the seeds that have a value; None without any."""
    known = [at_seed(by_seed, seed) for seed in seeds if CONSTANT in by_seed or seed in by_seed]
    return fmean(known) if known else None
