"""How far a student is, from the results of checks that were run."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from labs.catalogue import Lab
from labs.checking import digest_of
from labs.lab_result import LabResult

RESULT_SUFFIX = ".json"
"""Of the result of a lab's checks, which is called as the lab's folder."""


def state_of(lab: Lab, results: Path) -> str:
    """How far a lab is, in a few words."""
    try:
        text = (results / f"{lab.name}{RESULT_SUFFIX}").read_text(encoding="utf-8")
        result = LabResult.model_validate_json(text)
    except (OSError, ValidationError):
        return "not checked yet"
    state = "done" if result.has_passed else f"{result.earned} of {result.points} points"
    return state if result.handed_in == digest_of(lab.skeleton) else f"{state}, changed since"
