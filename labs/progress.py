"""How far a student is, from the results of checks that were run."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from labs.catalogue import Lab
from labs.checking import digest_of
from labs.outcome import LabOutcome


def result_file(lab: Lab, results: Path, *, solution: bool = False) -> Path:
    """Where the result of a lab's checks is."""
    return results / f"{lab.name}{'-solution' if solution else ''}.json"


def state_of(lab: Lab, results: Path) -> str:
    """How far a lab is, in a few words."""
    try:
        text = result_file(lab, results).read_text(encoding="utf-8")
        outcome = LabOutcome.model_validate_json(text)
    except (OSError, ValidationError):
        return "not checked yet"
    state = "done" if outcome.has_passed else f"{outcome.earned} of {outcome.points} points"
    return state if outcome.handed_in == digest_of(lab.skeleton) else f"{state}, changed since"
