"""Whose compiler and switch are measured."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
RELEASE = PROJECT / "switch" / "target" / "release"


@dataclass(frozen=True)
class Tool:
    """A command that is measured, and whose it is."""

    owner: str
    command: Path


def embedded(name: str) -> Tool:
    """The repository's own command."""
    return Tool("embedded", RELEASE / name)


def peer(name: str, owner: str) -> Tool | None:
    """The same command of p4c or BMv2 from PATH; None: not installed."""
    found = shutil.which(name)
    if found is None or Path(found).resolve().is_relative_to(RELEASE):
        return None
    return Tool(owner, Path(found))
