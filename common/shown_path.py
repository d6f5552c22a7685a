"""Paths as people read them."""

from __future__ import annotations

from pathlib import Path


def shown(path: Path) -> str:
    """A path as short as it goes: from the working folder where it is below, else whole."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
