"""Bars: whether a measured value keeps its limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reports.definition import Bar
from reports.document.labels import Labels, joined, limit_at
from reports.results import MISSING, Results
from scenario.file import Scalar

NOT_MEASURED, MET, MISSED = "not measured", "met", "**missed**"


@dataclass(frozen=True)
class Judgement:
    """The judgement of a bar at one point.

    Args:
        text: the measured value, the limit and why.
        verdict: ``MET``, ``MISSED`` or ``NOT_MEASURED``.
    """

    text: str
    verdict: str

    @property
    def is_met(self) -> bool:
        """Whether the value was measured, and keeps its limit."""
        return self.verdict == MET

    def __str__(self) -> str:
        return f"{self.text}: {self.verdict}"


def judged(bar: Bar, results: Results, labels: Labels, names: Mapping[str, str]) -> list[Judgement]:
    """The judgements of a bar, one for each point; none if no point has the value."""
    return [_judged_at(bar, point, results, labels, names) for point in results.points(bar.per, bar.where, bar.value)]


def _judged_at(bar: Bar, point: Mapping[str, Scalar], results: Results, labels: Labels, names: Mapping[str, str]) -> Judgement:
    where = {**bar.where, **point}
    found = results.spread(bar.value, bar.scheme, where)
    limit = limit_at(bar.at_least if bar.at_least is not None else bar.at_most or 0.0, where)
    unit = f" {bar.unit}" if bar.unit else ""
    because = bar.because.format_map({**where, **_means(results, bar.scheme, where)}) if found else ""
    wanted = f"{'at least' if bar.at_least is not None else 'at most'} {limit:g}{unit}{f' ({because})' if because else ''}"
    if found is None:
        value, verdict = MISSING, NOT_MEASURED
    else:
        measured = getattr(found, bar.statistic)
        value = f"{found.text(bar.form) if bar.statistic == 'mean' else f'{measured:{bar.form}} ({bar.statistic})'}{unit}"
        verdict = MET if (measured >= limit if bar.at_least is not None else measured <= limit) else MISSED
    subject = ", ".join(text for text in (names.get(bar.scheme, bar.scheme), joined(point, labels), bar.label or bar.value) if text)
    return Judgement(f"{subject}: {value}; {wanted}", verdict)


def _means(results: Results, scheme: str, where: Mapping[str, Scalar]) -> dict[str, float]:
    keys = {key for record in results.select(scheme, where) for key in record.values}
    return {key: found.mean for key in keys if (found := results.spread(key, scheme, where))}
