"""The variables of an exercise's Makefile that say which topology and which program it has. Nothing of it is carried out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

ASSIGNMENT = re.compile(r"^[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*[:?+]?=[ \t]*(.*?)[ \t]*(?:#.*)?$", re.MULTILINE)
DEFINE = "-D"


def variables(folder: Path) -> Mapping[str, str]:
    """All that are assigned by plain text; empty where there is no Makefile.

    Args:
        folder: of the exercise.
    """
    for name in ("Makefile", "makefile", "GNUmakefile"):
        file = folder / name
        if file.is_file():
            text = file.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
            return {found[1]: found[2] for found in ASSIGNMENT.finditer(text) if "$(" not in found[2]}
    return {}


def defines(arguments: str) -> tuple[str, ...]:
    """The names that a compiler's arguments define: ``-DX -DY=1``."""
    words = shlex.split(arguments)
    return tuple(word.removeprefix(DEFINE) for word in words if word.startswith(DEFINE) and word != DEFINE)
