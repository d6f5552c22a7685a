"""Where things are in a checkout."""

from __future__ import annotations

from pathlib import Path

from protocol.errors import UserError
from topo.toolchain import PROJECT

SCENARIOS = PROJECT / "experiments" / "scenarios"
RESULTS = PROJECT / "results"
KEPT_REPORTS = PROJECT / "docs" / "reproduction"


def scenario_path(wanted: str) -> Path:
    """The file of a scenario, by path or by name.

    Raises:
        UserError: there is none.
    """
    path = Path(wanted)
    if path.suffix != ".toml" and (SCENARIOS / f"{wanted}.toml").exists():
        return SCENARIOS / f"{wanted}.toml"
    if not path.exists():
        names = ", ".join(sorted(file.stem for file in SCENARIOS.glob("*.toml")))
        raise UserError(f"there is no scenario {wanted!r}", f"give the path of a scenario file, or one of: {names}")
    return path
