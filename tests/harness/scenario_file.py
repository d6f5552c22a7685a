"""Reads a scenario file of one point, as tests want it."""

from __future__ import annotations

from pathlib import Path

from scenario.file import read_scenario_file
from scenario.scenario import Scenario


def load_scenario(path: Path) -> Scenario:
    """The scenario at the file's first point.

    Raises:
        UserError: the file is missing, not TOML, or says something impossible.
    """
    file = read_scenario_file(path)
    return file.scenario(file.points()[0])
