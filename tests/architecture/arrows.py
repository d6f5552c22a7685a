"""Which room of the house uses which: Python's from their imports, the switch's crates from their manifests."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
CRATES = PROJECT / "switch" / "crates"
NOT_OF_THE_HOUSE = ("tests",)
"""They may use everything."""


@dataclass(frozen=True)
class Arrows:
    """Rooms, and for each the rooms that it uses, in the order of the alphabet."""

    uses: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, found: Iterable[tuple[str, str]], rooms: Iterable[str]) -> Arrows:
        """From pairs of a room and one that it uses; other names and the room itself are left out."""
        known = sorted(rooms)
        pairs = set(found)
        return cls({room: tuple(other for other in known if other != room and (room, other) in pairs) for room in known})

    def circle(self) -> list[str]:
        """Rooms that use one another in a circle; empty: there is none."""
        try:
            TopologicalSorter(self.uses).prepare()
        except CycleError as error:
            return list(error.args[1])
        return []

    def direct(self) -> Arrows:
        """Without the arrows that follow from others: a → c where a → b → c is there as well."""
        reached = {room: self._reached(room) for room in self.uses}
        return Arrows(
            {
                room: tuple(one for one in used if not any(one in reached[other] for other in used if other != one))
                for room, used in self.uses.items()
            }
        )

    def _reached(self, room: str) -> set[str]:
        found: set[str] = set()
        todo = list(self.uses[room])
        while todo:
            one = todo.pop()
            if one not in found:
                found.add(one)
                todo += self.uses[one]
        return found

    def flowchart(self) -> str:
        """As Mermaid draws it, users above what they use."""
        arrows = [f"    {room} --> {' & '.join(used)}" if used else f"    {room}" for room, used in self.direct().uses.items()]
        return "\n".join(["flowchart TD", *arrows])


def python_rooms(project: Path = PROJECT) -> Arrows:
    """The arrows between the folders at the root that are packages."""
    rooms = [file.parent.name for file in project.glob("*/__init__.py") if file.parent.name not in NOT_OF_THE_HOUSE]
    pairs = [(room, used) for room in rooms for file in (project / room).rglob("*.py") for used in imported(file.read_text("utf-8"))]
    return Arrows.of(pairs, rooms)


def imported(source: str) -> set[str]:
    """The first names of all modules that a file imports, wherever in it."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
    return {name.partition(".")[0] for name in names}


def crates(folder: Path = CRATES) -> Arrows:
    """The arrows between the switch's crates; dependencies of tests alone do not count."""
    manifests = {file.parent.name: tomllib.loads(file.read_text("utf-8")) for file in folder.glob("*/Cargo.toml")}
    pairs = [(crate, used) for crate, manifest in manifests.items() for used in manifest.get("dependencies", {})]
    return Arrows.of(pairs, manifests)
