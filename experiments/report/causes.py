"""Why a claim is otherwise here: a sentence, and whether the medians show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.report.definition import Cause
from experiments.report.results import Results
from experiments.report.rules import at_points


def said(cause: Cause, results: Results, others: Mapping[str, Results], schemes: Sequence[str]) -> str:
    """The cause, and at how many points its rule holds, in Markdown.

    Args:
        cause: of a claim that is not confirmed.
        results: of the claim's experiment, with ratios.
        others: of all experiments of the paper, with ratios.
        schemes: that the rule may name.
    """
    found = others.get(cause.experiment) if cause.experiment else results
    rulings = list(at_points([cause.rule], cause.values, found, schemes, cause.per, cause.where)) if found and found.records else []
    held = [ruling.holds[0] for ruling in rulings if ruling.holds is not None]
    place = f" of {cause.experiment}" if cause.experiment else ""
    if not held:
        return f"Cause: {cause.text} (not looked for in these runs{f': {cause.experiment} was not measured' if cause.experiment else ''})"
    points = f"{len(held)} point{'s' if len(held) > 1 else ''}{place}"
    if all(held):
        return f"Cause: {cause.text} (shown: `{cause.rule}` at {f'all {points}' if len(held) > 1 else f'the one point{place}'})"
    return f"Cause supposed, not shown: {cause.text} (`{cause.rule}` at {sum(held)} of {points})"
