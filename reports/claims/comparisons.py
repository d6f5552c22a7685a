"""The sentence below a figure: how a scheme, by default Nodectl, differs from the others at the points of the figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean

from reports.claims.intervals import difference
from reports.definition import Comparison, FigureDefinition
from reports.document.labels import listed, of_points, range_text
from reports.results import CONSTANT, MISSING, BySeed, Results, paired
from scenario.file import Scalar

ALIKE = 0.01
"""Means that are no further apart, as a part of the larger one, count as equal."""

STANDARD = (
    Comparison(value="smoothed_rtt_ms", label="mean smoothed RTT, ms"),
    Comparison(value="queue_drops", label="packets dropped by queues", form=".0f"),
    Comparison(value="total_mbps", label="total throughput, Mbit/s"),
    Comparison(value="jain", label="Jain's index of throughputs over fair shares"),
    Comparison(value="fair_share_s", label="time until everybody has the fair share and keeps it, s"),
)
"""Values that every cell can have: queue, loss, use, fairness, and the time until it is fair. A figure for which its file declares no
comparison has these."""

HOW_IT_COUNTS = (
    "the sentence below a figure compares a scheme with the others: the ranges of their means over the figure's points, and its rank at "
    "how many points. Two schemes are apart where the 95 % interval of their differences, seed by seed, excludes zero, "
    f"and their means are more than {100 * ALIKE:g} % apart; else they are tied. With one run alone there is no order"
)


class _Rank(StrEnum):
    """The place of a scheme among the others."""

    LOWEST = "lowest"
    AS_LOW = "tied for the lowest"
    BETWEEN = "in between"
    AS_HIGH = "tied for the highest"
    HIGHEST = "highest"
    EQUAL = "tied with all"
    ONE_RUN = "in no order, for want of more than one run,"


@dataclass
class _Found:
    """The means of a value, over the points at which the scheme and another one have it."""

    own: list[float] = field(default_factory=list)
    others: dict[str, list[float]] = field(default_factory=dict)
    ranks: Counter[_Rank] = field(default_factory=Counter)
    without: Counter[str] = field(default_factory=Counter)
    """By scheme: the number of points at which it was measured and has no value, but another scheme has one."""

    points: int = 0

    def add(self, own: BySeed, others: Mapping[str, BySeed]) -> None:
        self.own.append(fmean(own.values()))
        for scheme, values in others.items():
            self.others.setdefault(scheme, []).append(fmean(values.values()))
        self.ranks[_rank(own, list(others.values()))] += 1

    @property
    def is_equal(self) -> bool:
        return set(self.ranks) == {_Rank.EQUAL} and not self.without


def _rank(own: BySeed, others: Sequence[BySeed]) -> _Rank:
    orders = [_order(own, other) for other in others]
    if None in orders:
        return _Rank.ONE_RUN
    apart = {order for order in orders if order}
    is_tied = 0 in orders
    if not apart:
        return _Rank.EQUAL
    if apart == {-1}:
        return _Rank.AS_LOW if is_tied else _Rank.LOWEST
    if apart == {1}:
        return _Rank.AS_HIGH if is_tied else _Rank.HIGHEST
    return _Rank.BETWEEN


def _order(own: BySeed, other: BySeed) -> int | None:
    """-1 if the own mean is lower, 1 if it is higher, 0 if they are tied; None if there are too few pairs of runs to tell."""
    pairs = paired(own, other)
    first, second = (fmean(values) for values in zip(*pairs, strict=True)) if pairs else (0.0, 0.0)
    if pairs and abs(first - second) <= ALIKE * max(abs(first), abs(second)):
        return 0
    if CONSTANT in own and CONSTANT in other:  # there is no chance in either
        return 1 if first > second else -1
    found = difference(pairs)
    if found is None:
        return None
    return 0 if not found.excludes_zero else 1 if found.low > 0 else -1


def sentence(figure: FigureDefinition, comparisons: Sequence[Comparison], results: Results, names: Mapping[str, str]) -> str:
    """The sentence below a figure, in Markdown; empty for a picture of the network.

    Args:
        figure: whose points are meant.
        comparisons: of its file.
        results: with ratios.
        names: of schemes.
    """
    if figure.topology:
        return ""
    wanted = [one for one in comparisons if not one.figures or figure.name in one.figures] or _usual(figure)
    by_scheme: dict[str, list[Comparison]] = {}
    for comparison in wanted:
        by_scheme.setdefault(comparison.scheme, []).append(comparison)
    return " ".join(_of_scheme(scheme, those, figure, results, names) for scheme, those in by_scheme.items())


def _usual(figure: FigureDefinition) -> list[Comparison]:
    """Comparisons by the values that the figure itself shows over the grid, and by those that every cell can have."""
    standard = {one.value for one in STANDARD}
    shown = {
        one.value: one.label or panel.y_label or panel.title or one.value
        for panel in figure.panels
        for one in panel.values
        if one.value not in standard
    }
    return [*(Comparison(value=value, label=label) for value, label in shown.items()), *STANDARD]


def _of_scheme(scheme: str, comparisons: Sequence[Comparison], figure: FigureDefinition, results: Results, names: Mapping[str, str]) -> str:
    name = names.get(scheme, scheme)
    if not results.select(scheme):
        return f"{name} has no results here, so there is nothing to compare."
    against: dict[str, None] = {}
    parts, equal = [], []
    for comparison in comparisons:
        found = _found(comparison, figure, results)
        against |= dict.fromkeys(found.others)
        if found.is_equal:
            equal.append(f"{comparison.label} ({range_text(found.own, comparison.form)})")
        elif found.others:
            parts.append(_said(comparison, found, names))
    parts += [f"tied in {listed(equal)}"] if equal else []
    if not parts:
        return f"No other scheme has results at the points of {name}, so there is nothing to compare."
    return f"What {name} changes against {listed([names.get(one, one) for one in against])}: {'; '.join(parts)}."


def _found(comparison: Comparison, figure: FigureDefinition, results: Results) -> _Found:
    found = _Found()
    schemes = comparison.against or [one for one in results.schemes() if one != comparison.scheme]
    for where in _points(comparison, figure, results):
        there = [scheme for scheme in [comparison.scheme, *schemes] if results.select(scheme, where)]
        having = {scheme: values for scheme in there if (values := results.by_seed(comparison.value, scheme, where))}
        if comparison.scheme not in there or len(there) < 2 or not having:
            continue
        found.points += 1
        found.without.update(scheme for scheme in there if scheme not in having)
        own = having.pop(comparison.scheme, None)
        if own is None:
            for scheme, values in having.items():
                found.others.setdefault(scheme, []).append(fmean(values.values()))
        elif having:
            found.add(own, having)
    return found


def _points(comparison: Comparison, figure: FigureDefinition, results: Results) -> Iterable[Mapping[str, Scalar]]:
    """The points that the figure's panels show, each once."""
    found: list[Mapping[str, Scalar]] = []
    for panel in figure.panels:
        where = {**panel.where, **comparison.where}
        for point in results.points(None, where, comparison.value):
            if (whole := {**where, **point}) not in found:
                found.append(whole)
    return found


def _said(comparison: Comparison, found: _Found, names: Mapping[str, str]) -> str:
    told = [f"{rank} at {of_points(found.ranks[rank], found.points)}" for rank in _Rank if found.ranks[rank]]
    own = range_text(found.own, comparison.form) if found.own else MISSING
    others = ", ".join(f"{names.get(scheme, scheme)} {range_text(values, comparison.form)}" for scheme, values in found.others.items())
    without = [f"{names.get(scheme, scheme)} at {of_points(number, found.points)}" for scheme, number in found.without.items()]
    missing = f"without a value: {listed(without)}" if without else ""
    return f"{comparison.label}: {own} ({others}), {', '.join(part for part in (listed(told) if told else '', missing) if part)}"
