"""Claims: whether what was measured agrees with what the paper says in words, by a rule over the medians at each point.

A claim is confirmed if its rule holds at every point that has the values, not confirmed if neither the rule nor its weaker form holds at
any; else the result differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from experiments.report.causes import Evidence, said
from experiments.report.definition import Claim
from experiments.report.labels import Labels, joined
from experiments.report.results import MISSING, Results
from experiments.report.rules import at_points

SHOWN_POINTS = 8
"""Of those at which a claim does not hold."""


class Outcome(StrEnum):
    """What came of a claim."""

    CONFIRMED = "confirmed"
    DIFFERS = "differs"
    NOT_CONFIRMED = "not confirmed"
    NOT_JUDGED = "not judged"


@dataclass
class Judgement:
    """At how many points a claim's rule holds, and what was measured where it does not.

    Args:
        claim: what was judged.
        holds: points at which the rule holds.
        weakly: what was measured at each point at which only its weaker form does.
        against: what was measured at each of the others.
        without: the points that lack a value.
        causes: why it is otherwise, if it is.
        too_short: the runs are, so it is not judged at all.
    """

    claim: Claim
    holds: int = 0
    weakly: list[str] = field(default_factory=list)
    against: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    causes: list[str] = field(default_factory=list)
    too_short: bool = False

    @property
    def judged(self) -> int:
        """At how many points."""
        return self.holds + len(self.weakly) + len(self.against)

    @property
    def outcome(self) -> Outcome:
        """See the module."""
        if not self.judged:
            return Outcome.NOT_JUDGED
        if self.holds == self.judged:
            return Outcome.CONFIRMED
        return Outcome.DIFFERS if self.holds or self.weakly else Outcome.NOT_CONFIRMED

    @property
    def is_otherwise(self) -> bool:
        """Whether it does not hold at some point."""
        return self.outcome in (Outcome.DIFFERS, Outcome.NOT_CONFIRMED)

    @property
    def verdict(self) -> str:
        """The outcome, and where and how it is another one, in Markdown."""
        word = f"**{self.outcome}**"
        match self.outcome:
            case Outcome.NOT_JUDGED:
                said = self.outcome.value + (": it takes longer than the runs of a quick look" if self.too_short else "")
            case Outcome.CONFIRMED:
                said = f"{word}{f' at all {self.judged} points' if self.judged > 1 else ''}"
            case Outcome.NOT_CONFIRMED:
                said = f"{word} ({_listed(self.against)})"
            case Outcome.DIFFERS:
                parts = [f"confirmed at {self.holds} of {self.judged} points"] if self.judged > 1 else []
                parts += [f"only `{self.claim.weaker}` at {_listed(self.weakly)}"] if self.weakly else []
                parts += [f"not at {_listed(self.against)}"] if self.against else []
                said = f"{word}: {', '.join(parts)}"
        said += f"; without a value: {', '.join(self.without)}" if self.without else ""
        return ". ".join([said, *self.causes])

    def __str__(self) -> str:
        return f"“{self.claim.text}” ({self.claim.source}): {self.verdict}"


def judge(
    claim: Claim,
    results: Results,
    schemes: Sequence[str],
    labels: Labels,
    names: Mapping[str, str],
    *,
    quick: bool = False,
) -> Judgement:
    """Judge a claim by the medians.

    Args:
        claim: what the paper says.
        results: with ratios.
        schemes: that the rule may name.
        labels: how variables of the grid are shown.
        names: of schemes.
        quick: whether the runs are those of a quick look, too short for what is slow.
    """
    judgement = Judgement(claim, too_short=quick and claim.slow)
    if judgement.too_short:
        return judgement
    rules = [claim.rule, *([claim.weaker] if claim.weaker else [])]
    for ruling in at_points(rules, claim.values, results, schemes, claim.per, claim.where):
        at = joined(ruling.point, labels)
        if ruling.holds is None:
            judgement.without.append(at or "the one point")
            continue
        if ruling.holds[0]:
            judgement.holds += 1
            continue
        shown = [
            (f"{name} " if len(claim.values) > 1 else "") + _shown(claim, found, schemes, names) for name, found in ruling.medians.items()
        ]
        (judgement.weakly if any(ruling.holds) else judgement.against).append(f"{f'{at}: ' if at else ''}{'; '.join(shown)}")
    return judgement


def explain(judgement: Judgement, results: Results, evidence: Evidence) -> Judgement:
    """The same with the causes of what is otherwise.

    Args:
        judgement: of a claim.
        results: by which it was judged.
        evidence: what the paper has for causes.

    Raises:
        UserError: the paper does not have a cause.
    """
    if not judgement.is_otherwise:
        return judgement
    return replace(judgement, causes=[said(cause, results, evidence) for cause in evidence.of(judgement.claim)])


def _listed(points: Sequence[str]) -> str:
    more = len(points) - SHOWN_POINTS
    return " | ".join([*points[:SHOWN_POINTS], *([f"and {more} more"] if more > 0 else [])])


def _shown(claim: Claim, medians: Mapping[str, float | None], schemes: Sequence[str], names: Mapping[str, str]) -> str:
    known = [(scheme, value) for scheme in schemes if (value := medians[scheme]) is not None]
    return ", ".join(f"{names.get(scheme, scheme)} {value:{claim.form}}" for scheme, value in known) or MISSING
