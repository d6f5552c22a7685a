"""Bars: whether what was measured reaches what it has to."""

from __future__ import annotations

from collections.abc import Mapping

from reports.definition import Bar
from reports.document.labels import Labels, joined, limit_at
from reports.results import MISSING, Results
from scenario.file import Scalar


def judged(bar: Bar, results: Results, labels: Labels, names: Mapping[str, str]) -> list[str]:
    """A line for each point: what was measured, the limit and why, and whether it was met."""
    return [_judged_at(bar, point, results, labels, names) for point in results.points(bar.per, bar.where, bar.value)]


def _judged_at(bar: Bar, point: Mapping[str, Scalar], results: Results, labels: Labels, names: Mapping[str, str]) -> str:
    where = {**bar.where, **point}
    found = results.spread(bar.value, bar.scheme, where)
    limit = limit_at(bar.at_least if bar.at_least is not None else bar.at_most or 0.0, where)
    unit = f" {bar.unit}" if bar.unit else ""
    because = bar.because.format_map({**where, **_means(results, bar.scheme, where)}) if found else ""
    wanted = f"{'at least' if bar.at_least is not None else 'at most'} {limit:g}{unit}{f' ({because})' if because else ''}"
    if found is None:
        value, verdict = MISSING, "not measured"
    else:
        measured = getattr(found, bar.statistic)
        value = f"{found.text(bar.form) if bar.statistic == 'mean' else f'{measured:{bar.form}} ({bar.statistic})'}{unit}"
        verdict = "met" if (measured >= limit if bar.at_least is not None else measured <= limit) else "**missed**"
    subject = ", ".join(text for text in (names.get(bar.scheme, bar.scheme), joined(point, labels), bar.label or bar.value) if text)
    return f"{subject}: {value}; {wanted}: {verdict}"


def _means(results: Results, scheme: str, where: Mapping[str, Scalar]) -> dict[str, float]:
    keys = {key for record in results.select(scheme, where) for key in record.values}
    return {key: found.mean for key in keys if (found := results.spread(key, scheme, where))}
