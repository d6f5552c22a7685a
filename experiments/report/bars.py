"""Bars and claims: whether what was measured reaches what it has to, and agrees with what the paper says in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.report.definition import Bar, Claim
from experiments.report.labels import Labels, joined, limit_at
from experiments.report.results import MISSING, Results
from scenario.expressions import ExpressionError, evaluate
from scenario.file import Scalar

SHOWN_POINTS = 8
"""Of those at which a claim does not hold."""


def judged(bar: Bar, results: Results, labels: Labels, names: Mapping[str, str]) -> list[str]:
    """A line for each point: what was measured, the limit and why, and whether it was met."""
    return [_judged_at(bar, point, results, labels, names) for point in results.points(bar.per, bar.where, bar.value)]


def _judged_at(bar: Bar, point: Mapping[str, Scalar], results: Results, labels: Labels, names: Mapping[str, str]) -> str:
    where = {**bar.where, **point}
    found = results.spread(bar.value, bar.scheme, where)
    limit = limit_at(bar.at_least if bar.at_least is not None else bar.at_most or 0.0, where)
    unit = f" {bar.unit}" if bar.unit else ""
    because = bar.because.format_map({**where, **_medians(results, bar.scheme, where)}) if found else ""
    wanted = f"{'at least' if bar.at_least is not None else 'at most'} {limit:g}{unit}{f' ({because})' if because else ''}"
    if found is None:
        value, verdict = MISSING, "not measured"
    else:
        measured = getattr(found, bar.statistic)
        value = f"{found.text(bar.form) if bar.statistic == 'median' else f'{measured:{bar.form}} ({bar.statistic})'}{unit}"
        verdict = "met" if (measured >= limit if bar.at_least is not None else measured <= limit) else "**missed**"
    subject = ", ".join(text for text in (names.get(bar.scheme, bar.scheme), joined(point, labels), bar.label or bar.value) if text)
    return f"{subject}: {value}; {wanted}: {verdict}"


def _medians(results: Results, scheme: str, where: Mapping[str, Scalar]) -> dict[str, float]:
    keys = {key for record in results.select(scheme, where) for key in record.values}
    return {key: found.median for key in keys if (found := results.spread(key, scheme, where))}


def checked(claim: Claim, results: Results, schemes: Sequence[str], labels: Labels, names: Mapping[str, str]) -> str:
    """What the paper says, and at how many points the rule holds: confirmed, not confirmed, or where it differs."""
    holds, not_judged, against = 0, [], []
    for point in results.points(claim.per, claim.where, next(iter(claim.values.values()))):
        where = {**claim.where, **point}
        medians = {
            name: {scheme: found.median if (found := results.spread(value, scheme, where)) else None for scheme in schemes}
            for name, value in claim.values.items()
        }
        at = joined(point, labels) or "the one point"
        try:
            agrees = bool(evaluate(claim.rule, {**where, **medians}))
        except ExpressionError:
            not_judged.append(at)
            continue
        holds += agrees
        if not agrees:
            shown = [(f"{name} " if len(medians) > 1 else "") + _shown(claim, value, schemes, names) for name, value in medians.items()]
            against.append(f"{f'{at}: ' if point else ''}{'; '.join(shown)}")
    judged_count = holds + len(against)
    if not judged_count:
        verdict = "not judged"
    elif not against:
        verdict = f"**confirmed**{f' at all {judged_count} points' if judged_count > 1 else ''}"
    else:
        listed = " | ".join(
            [*against[:SHOWN_POINTS], *([f"and {len(against) - SHOWN_POINTS} more"] if len(against) > SHOWN_POINTS else [])]
        )
        differs = f"**differs**: confirmed at {holds} of {judged_count} points, not at {listed}"
        verdict = differs if holds else f"**not confirmed** ({listed})"
    missing = f"; without a value: {', '.join(not_judged)}" if not_judged else ""
    return f"“{claim.text}” ({claim.source}): {verdict}{missing}"


def _shown(claim: Claim, medians: Mapping[str, float | None], schemes: Sequence[str], names: Mapping[str, str]) -> str:
    known = [(scheme, value) for scheme in schemes if (value := medians[scheme]) is not None]
    return ", ".join(f"{names.get(scheme, scheme)} {value:{claim.form}}" for scheme, value in known) or MISSING
