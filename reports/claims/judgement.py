"""Claims: whether the measured values agree with the words of the paper, by a rule over the means at each point.

A claim is confirmed if its rule holds at every point that has the values. It is undecided if the seeds leave it open at all of them, and
not confirmed if neither the rule nor its weaker form holds at any. Else the result differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from reports.claims.causes import Evidence, said
from reports.claims.rules import Holds, at_points
from reports.definition import Claim
from reports.document.labels import Labels, joined
from reports.results import MISSING, Results

SHOWN_POINTS = 8
"""The most points that are listed of those at which a claim does not hold."""


class ClaimStatus(StrEnum):
    """The outcome of a claim, over all points at which it was judged."""

    CONFIRMED = "confirmed"
    DIFFERS = "differs"
    NOT_CONFIRMED = "not confirmed"
    UNDECIDED = "undecided"
    NOT_JUDGED = "not judged"


@dataclass
class Judgement:
    """The number of points at which a claim's rule holds, and the measured values at the others.

    Args:
        claim: the judged one.
        holds: number of points at which the rule holds.
        weakly: measured values at each point at which only its weaker form holds.
        open: measured values at each point at which the seeds leave it open.
        against: measured values at each of the others.
        single: number of points at which it is judged by one run.
        without: the points that lack a value.
        causes: why the result differs, if it does.
        too_short: whether the runs are too short for the claim, so that it is not judged at all.
    """

    claim: Claim
    holds: int = 0
    weakly: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    against: list[str] = field(default_factory=list)
    single: int = 0
    without: list[str] = field(default_factory=list)
    causes: list[str] = field(default_factory=list)
    too_short: bool = False

    @property
    def judged(self) -> int:
        """The number of points at which the claim was judged."""
        return self.holds + len(self.weakly) + len(self.open) + len(self.against)

    @property
    def status(self) -> ClaimStatus:
        """The outcome of all points together, by the rules at the head of this module."""
        if not self.judged:
            return ClaimStatus.NOT_JUDGED
        if self.holds == self.judged:
            return ClaimStatus.CONFIRMED
        if self.holds or self.weakly:
            return ClaimStatus.DIFFERS
        return ClaimStatus.NOT_CONFIRMED if self.against else ClaimStatus.UNDECIDED

    @property
    def is_otherwise(self) -> bool:
        """Whether the claim was judged, and does not hold at some point."""
        return self.status in (ClaimStatus.DIFFERS, ClaimStatus.NOT_CONFIRMED, ClaimStatus.UNDECIDED)

    @property
    def verdict(self) -> str:
        """The status in Markdown, with the points at which the rule does not hold or lacks a value, and the causes."""
        word = f"**{self.status}**"
        match self.status:
            case ClaimStatus.NOT_JUDGED:
                said = self.status.value + (": it takes longer than the runs of a quick look" if self.too_short else "")
            case ClaimStatus.CONFIRMED:
                said = f"{word}{f' at all {self.judged} points' if self.judged > 1 else ''}"
            case ClaimStatus.NOT_CONFIRMED:
                said = f"{word} ({_listed(self.against)})"
                said += f", open at {_listed(self.open)}" if self.open else ""
            case ClaimStatus.UNDECIDED:
                said = f"{word}: the seeds leave it open ({_listed(self.open)})"
            case ClaimStatus.DIFFERS:
                parts = [f"confirmed at {self.holds} of {self.judged} points"] if self.judged > 1 else []
                parts += [f"only `{self.claim.weaker}` at {_listed(self.weakly)}"] if self.weakly else []
                parts += [f"open at {_listed(self.open)}"] if self.open else []
                parts += [f"not at {_listed(self.against)}"] if self.against else []
                said = f"{word}: {', '.join(parts)}"
        if self.single:
            said += f"; by one run at {self.single} of them" if self.judged > 1 else "; by one run"
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
    """Judge a claim by the means, and by how certain the seeds make them.

    Args:
        claim: of the paper.
        results: with ratios.
        schemes: that the rule may name.
        labels: how variables of the grid are shown.
        names: of schemes.
        quick: whether the runs are those of a quick look, too short for slow claims.
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
        judgement.single += ruling.seeds <= 1
        if ruling.holds[0] is Holds.YES:
            judgement.holds += 1
            continue
        shown = [
            (f"{name} " if len(claim.values) > 1 else "") + _shown(claim, found, schemes, names) for name, found in ruling.means.items()
        ]
        where = judgement.weakly if Holds.YES in ruling.holds else judgement.open if Holds.OPEN in ruling.holds else judgement.against
        where.append(f"{f'{at}: ' if at else ''}{'; '.join(shown)}")
    return judgement


def explain(judgement: Judgement, results: Results, evidence: Evidence) -> Judgement:
    """Add the causes to the judgement of a claim that does not hold at some point.

    Args:
        judgement: of a claim.
        results: by which it was judged.
        evidence: of the paper.

    Raises:
        UserError: the claim names a cause that the paper does not have.
    """
    if not judgement.is_otherwise:
        return judgement
    return replace(judgement, causes=[said(cause, results, evidence) for cause in evidence.of(judgement.claim)])


def statuses_of(judgements: Iterable[Judgement]) -> list[ClaimStatus]:
    """The outcome of each claim of a paper; those that say the same (``repeats``) count as one, which differs where they do not agree."""
    together: dict[str, list[ClaimStatus]] = {}
    for judgement in judgements:
        together.setdefault(judgement.claim.repeats or judgement.claim.text, []).append(judgement.status)
    return [_joined_status(statuses) for statuses in together.values()]


def _joined_status(statuses: Sequence[ClaimStatus]) -> ClaimStatus:
    judged = {status for status in statuses if status is not ClaimStatus.NOT_JUDGED}
    return ClaimStatus.NOT_JUDGED if not judged else judged.pop() if len(judged) == 1 else ClaimStatus.DIFFERS


def _listed(points: Sequence[str]) -> str:
    more = len(points) - SHOWN_POINTS
    return " | ".join([*points[:SHOWN_POINTS], *([f"and {more} more"] if more > 0 else [])])


def _shown(claim: Claim, means: Mapping[str, float | None], schemes: Sequence[str], names: Mapping[str, str]) -> str:
    known = [(scheme, value) for scheme in schemes if (value := means[scheme]) is not None]
    return ", ".join(f"{names.get(scheme, scheme)} {value:{claim.form}}" for scheme, value in known) or MISSING
