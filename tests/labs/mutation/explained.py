"""Mutants that no check fails, with the reason: ``reasons/NN-name.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from labs.catalogue import Lab
from tests.labs.mutation.mutant import Mutant

FOLDER = Path(__file__).parent / "reasons"


@dataclass(frozen=True)
class Explained:
    """Changes of one line that nobody could notice, or that are as right as the solution's line.

    Args:
        line: of the solution, wherever it stands.
        changes: as :attr:`Mutant.what` has them; none: whichever of the line's pass.
        why: one sentence.
    """

    line: str
    why: str
    changes: tuple[str, ...] = ()

    def covers(self, mutant: Mutant) -> bool:
        """Whether it is one of these."""
        return mutant.line_text == self.line and (not self.changes or mutant.what in self.changes)


def explained_of(lab: Lab) -> list[Explained]:
    """All of a lab."""
    file = FOLDER / f"{lab.name}.toml"
    if not file.exists():
        return []
    entries = tomllib.loads(file.read_text(encoding="utf-8"))["explained"]
    return [Explained(one["line"], one["why"], tuple(one.get("changes", ()))) for one in entries]


def without_mutants(entries: Iterable[Explained], mutants: Iterable[Mutant]) -> Iterator[str]:
    """The explained changes for which there is no such mutant among these."""
    known = list(mutants)
    for entry in entries:
        for change in entry.changes or ("",):
            if not any(one.line_text == entry.line and change in ("", one.what) for one in known):
                yield f"{entry.line}: {change}"
