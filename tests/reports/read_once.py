"""Experiments' files of papers, each read once in a session: their cells take longer to make than most tests do."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from engine.plan.experiment import Effort
from reports.experiment import ReportedExperiment


@cache
def read_once(file: Path, effort: Effort | None = None) -> ReportedExperiment:
    """The experiment of a file that no test changes."""
    return ReportedExperiment.read(file, effort)
