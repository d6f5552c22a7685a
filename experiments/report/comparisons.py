"""The sentence below a figure: what a scheme, Nodectl if nothing else is said, changes against the others at the points of the figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from experiments.report.definition import Comparison, FigureDefinition
from experiments.report.labels import listed, range_text
from experiments.report.results import MISSING, Results
from scenario.file import Scalar

ALIKE = 0.01
"""Medians that are no further apart, as a part of the larger one, count as equal."""

STANDARD = (
    Comparison(value="smoothed_rtt_ms", label="mean smoothed RTT, ms"),
    Comparison(value="queue_drops", label="packets dropped by queues", form=".0f"),
    Comparison(value="total_mbps", label="total throughput, Mbit/s"),
    Comparison(value="jain", label="Jain's index of what was got over the fair share"),
    Comparison(value="fair_share_s", label="time until everybody has had the fair share, s"),
)
"""What every cell can have: queue, loss, use, fairness, and how long it takes to be fair. Of a figure whose file declares none."""

HOW_IT_COUNTS = (
    "the sentence below a figure says what a scheme changes: the range of its medians over the figure's points, that of the others, and "
    f"where it is among them at how many points; medians within {100 * ALIKE:g} % are equal"
)


class _Rank(StrEnum):
    """Where a scheme's median is among the others'."""

    LOWEST = "lowest"
    AS_LOW = "as low as the lowest"
    BETWEEN = "in between"
    AS_HIGH = "as high as the highest"
    HIGHEST = "highest"
    EQUAL = "equal to all"


@dataclass
class _Found:
    """The medians of a value, over the points at which the scheme and another one have it."""

    own: list[float] = field(default_factory=list)
    others: dict[str, list[float]] = field(default_factory=dict)
    ranks: Counter[_Rank] = field(default_factory=Counter)
    without: Counter[str] = field(default_factory=Counter)
    """At how many points a scheme that was measured there has no value, and another one has."""

    points: int = 0

    def add(self, own: float, others: Mapping[str, float]) -> None:
        self.own.append(own)
        for scheme, value in others.items():
            self.others.setdefault(scheme, []).append(value)
        self.ranks[_rank(own, list(others.values()))] += 1

    @property
    def is_equal(self) -> bool:
        return set(self.ranks) == {_Rank.EQUAL} and not self.without


def _rank(own: float, others: Sequence[float]) -> _Rank:
    different = [value for value in others if abs(own - value) > ALIKE * max(abs(own), abs(value))]
    is_tied = len(different) < len(others)
    if not different:
        return _Rank.EQUAL
    if own < min(different):
        return _Rank.AS_LOW if is_tied else _Rank.LOWEST
    if own > max(different):
        return _Rank.AS_HIGH if is_tied else _Rank.HIGHEST
    return _Rank.BETWEEN


def sentence(figure: FigureDefinition, comparisons: Sequence[Comparison], results: Results, names: Mapping[str, str]) -> str:
    """What a scheme changes in a figure, in Markdown; empty for a picture of the network.

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
    """What the figure itself shows over the grid, and what every cell can have."""
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
    parts += [f"no difference in {listed(equal)}"] if equal else []
    if not parts:
        return f"No other scheme has results at the points of {name}, so there is nothing to compare."
    return f"What {name} changes against {listed([names.get(one, one) for one in against])}: {'; '.join(parts)}."


def _found(comparison: Comparison, figure: FigureDefinition, results: Results) -> _Found:
    found = _Found()
    schemes = comparison.against or [one for one in results.schemes() if one != comparison.scheme]
    for where in _points(comparison, figure, results):
        there = [scheme for scheme in [comparison.scheme, *schemes] if results.select(scheme, where)]
        having = {scheme: value.median for scheme in there if (value := results.spread(comparison.value, scheme, where))}
        if comparison.scheme not in there or len(there) < 2 or not having:
            continue
        found.points += 1
        found.without.update(scheme for scheme in there if scheme not in having)
        own = having.pop(comparison.scheme, None)
        if own is None:
            found.others |= {scheme: [*found.others.get(scheme, []), value] for scheme, value in having.items()}
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
    told = [f"{rank} at {_of(found.ranks[rank], found.points)}" for rank in _Rank if found.ranks[rank]]
    own = range_text(found.own, comparison.form) if found.own else MISSING
    others = ", ".join(f"{names.get(scheme, scheme)} {range_text(values, comparison.form)}" for scheme, values in found.others.items())
    without = [f"{names.get(scheme, scheme)} at {_of(number, found.points)}" for scheme, number in found.without.items()]
    missing = f"without a value: {listed(without)}" if without else ""
    return f"{comparison.label}: {own} ({others}), {', '.join(part for part in (listed(told) if told else '', missing) if part)}"


def _of(number: int, count: int) -> str:
    if count == 1:
        return "the one point"
    return f"all {count} points" if number == count else f"{number} of {count} points"
