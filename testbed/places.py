"""Where the files are that people name, and those that are made for them."""

from __future__ import annotations

from pathlib import Path

from common.errors import UserError
from common.installation import MADE, PROJECT
from common.shown_path import shown

SCENARIOS = PROJECT / "scenario" / "examples"
OLD_SCENARIOS = ("experiments", "scenarios")
"""The folder that had them before."""

MANUAL = MADE / "man" / "testbed.1"


def scenario_path(wanted: str) -> Path:
    """The file of a scenario, by path or by name.

    Raises:
        UserError: there is none.
    """
    path = Path(wanted)
    if path.suffix != ".toml" and (SCENARIOS / f"{wanted}.toml").exists():
        return SCENARIOS / f"{wanted}.toml"
    if not path.exists():
        if path.parts[-3:-1] == OLD_SCENARIOS and (moved := SCENARIOS / path.name).exists():
            raise UserError(f"there is no {wanted}: the scenarios are in {shown(SCENARIOS)}", f"it is {path.stem}, by path {shown(moved)}")
        names = ", ".join(sorted(file.stem for file in SCENARIOS.glob("*.toml")))
        raise UserError(f"there is no scenario {wanted!r}", f"give the path of a scenario file, or one of: {names}")
    return path
