"""p4-utils, where a user has installed it: its modules go with an exercise whose controllers import them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

P4UTILS = "p4utils"
NEEDED = ("networkx", "psutil", "ipaddr")
"""Dependencies of the p4-utils modules that controllers import; Thrift's are the testbed's own (controller/bindings)."""

IMPORTS = re.compile(r"^\s*(?:from|import)\s+p4utils\b", re.MULTILINE)
LEFT_OUT = ("tests", "__pycache__")
INSTALL = "in .venv: pip install --no-deps FOLDER-OF-P4-UTILS networkx psutil ipaddr"


def wants_p4utils(files: Iterable[Path]) -> list[str]:
    """The names of Python programs that import p4-utils and are no description of a network.

    Args:
        files: of an exercise.
    """
    programs = [file for file in files if file.suffix == ".py" and IMPORTS.search(file.read_text(encoding="utf-8", errors="replace"))]
    return [file.name for file in programs if "NetworkAPI" not in file.read_text(encoding="utf-8", errors="replace")]


def p4utils_packages() -> tuple[Mapping[str, Path], list[str]]:
    """The files of p4-utils and of its dependencies, by their places in a folder of modules; and the names of missing ones."""
    found: dict[str, Path] = {}
    missing = []
    for name in (P4UTILS, *NEEDED):
        place = _place(name)
        if place is None:
            missing.append(name)
        elif place.is_file():
            found[place.name] = place
        else:
            found |= {f"{name}/{file.relative_to(place)}": file for file in sorted(place.rglob("*")) if _is_wanted(file, place)}
    return found, missing


def note_of_missing(programs: list[str], missing: list[str]) -> str:
    """One line for people.

    Args:
        programs: which import p4-utils.
        missing: packages that are not installed.
    """
    return f"{', '.join(programs)}: p4-utils is needed, and there is no {', '.join(missing)} here: {INSTALL}"


def _place(name: str) -> Path | None:
    spec = find_spec(name)
    if spec is None or not (spec.origin or spec.submodule_search_locations):
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return Path(str(spec.origin))


def _is_wanted(file: Path, place: Path) -> bool:
    return file.is_file() and file.suffix in {".py", ".so"} and not set(file.relative_to(place).parts) & set(LEFT_OUT)
