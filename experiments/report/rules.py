"""A rule over the medians, at each point of a grid that has the values: what claims and their causes are judged by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments.report.results import Results
from scenario.expressions import ExpressionError, evaluate
from scenario.file import Scalar

Medians = Mapping[str, Mapping[str, float | None]]
"""Of each name in a rule, by scheme."""


@dataclass(frozen=True)
class Ruling:
    """What came of rules at one point.

    Args:
        point: the variables that vary.
        medians: what was measured.
        holds: of each rule, in their order; None where a value is missing that one of them needs.
    """

    point: Mapping[str, Scalar]
    medians: Medians
    holds: tuple[bool, ...] | None


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
        medians = {
            name: {scheme: found.median if (found := results.spread(value, scheme, at)) else None for scheme in schemes}
            for name, value in values.items()
        }
        try:
            holds = tuple(bool(evaluate(rule, {**at, **medians})) for rule in rules)
        except ExpressionError:
            yield Ruling(point, medians, None)
        else:
            yield Ruling(point, medians, holds)
