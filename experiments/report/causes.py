"""Why a claim is otherwise here: a sentence, and whether the medians show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from experiments.report.definition import Cause, Claim
from experiments.report.results import Results
from experiments.report.rules import at_points
from protocol.errors import UserError


@dataclass(frozen=True)
class Evidence:
    """What a paper has for the causes of its claims.

    Args:
        causes: those that several claims have, by name.
        results: of all its experiments, with ratios.
    """

    causes: Mapping[str, Cause] = field(default_factory=dict)
    results: Mapping[str, Results] = field(default_factory=dict)

    def of(self, claim: Claim) -> Iterator[Cause]:
        """A claim's causes.

        Raises:
            UserError: one is a name that the paper does not have.
        """
        for cause in claim.causes:
            if isinstance(cause, Cause):
                yield cause
            elif cause.same_as in self.causes:
                yield self.causes[cause.same_as]
            else:
                known = ", ".join(sorted(self.causes)) or "none"
                raise UserError(f"the claim “{claim.text}”: there is no cause {cause.same_as!r} in paper.toml", f"it has: {known}")


def said(cause: Cause, results: Results, evidence: Evidence) -> str:
    """The cause, and at how many points its rule holds, in Markdown.

    Args:
        cause: of a claim that is not confirmed.
        results: of the claim's experiment, with ratios.
        evidence: the paper's.
    """
    found = evidence.results.get(cause.experiment) if cause.experiment else results
    rulings = list(at_points([cause.rule], cause.values, found, found.schemes(), cause.per, cause.where)) if found and found.records else []
    held = [ruling.holds[0] for ruling in rulings if ruling.holds is not None]
    place = f" of {cause.experiment}" if cause.experiment else ""
    if not held:
        return f"Cause: {cause.text} (not looked for in these runs{f', nor in {cause.experiment}' if cause.experiment else ''})"
    points = f"{len(held)} point{'s' if len(held) > 1 else ''}{place}"
    if all(held):
        return f"Cause: {cause.text} (shown: `{cause.rule}` at {f'all {points}' if len(held) > 1 else f'the one point{place}'})"
    return f"Cause supposed, not shown: {cause.text} (`{cause.rule}` at {sum(held)} of {points})"
