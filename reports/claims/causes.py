"""Causes: why results differ from a claim, and whether an experiment shows it.

Only an experiment that takes a cause away and sees the effect go shows it; else the cause is suspected, even if every value agrees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from common.errors import UserError
from reports.claims.rules import Holds, at_points
from reports.definition import Cause, Claim
from reports.document.labels import of_points, range_text
from reports.results import Results


@dataclass(frozen=True)
class Evidence:
    """The causes that a paper names, and the results that may show them.

    Args:
        causes: those that several claims share, by name.
        results: of all its experiments, by name, with ratios.
    """

    causes: Mapping[str, Cause] = field(default_factory=dict)
    results: Mapping[str, Results] = field(default_factory=dict)

    def of(self, claim: Claim) -> Iterator[Cause]:
        """A claim's causes.

        Raises:
            UserError: the paper has no cause of that name.
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
    judged = [ruling for ruling in rulings if ruling.holds is not None]
    held = [ruling.holds is not None and ruling.holds[0] is Holds.YES for ruling in judged]
    place = f" of {cause.experiment}" if cause.experiment else ""
    if not held:
        return f"Suspected cause: {cause.text} (not looked for in these runs{f', nor in {cause.experiment}' if cause.experiment else ''})"
    seeds = sorted({ruling.seeds for ruling in judged})
    n = f"n = {range_text(seeds, 'd')}" if seeds[-1] else "nothing in it is drawn"
    agrees = f"`{cause.rule}` at {of_points(sum(held), len(held))}{place}"
    if cause.takes_away and all(held) and seeds[0] > 1:
        return f"Cause: {cause.text} (shown: without it the effect is gone, {agrees}, {n})"
    if not any(held):
        return f"Looked for and not found: {cause.text} ({agrees}, {n})"
    return f"Suspected cause: {cause.text} ({agrees}, {n})"
