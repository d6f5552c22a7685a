"""One small change of a solution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """A stretch of a text, and the text that is put there."""

    start: int
    end: int
    put: str


@dataclass(frozen=True)
class Mutant:
    """A solution with one change.

    Args:
        file: name of the file that is handed in.
        line: number, from 1.
        line_text: the line in which the change begins, without the blanks around it.
        what: the change, for people.
        text: the whole changed file.
        nth: of those in the file with the same line and change, from 1.
    """

    file: str
    line: int
    line_text: str
    what: str
    text: str
    nth: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}{f' ({self.nth})' if self.nth > 1 else ''}"


def mutants_of(file: str, text: str, changes: Iterable[Change]) -> Iterator[Mutant]:
    """The mutants that come of changes, each once."""
    seen: dict[tuple[str, str], int] = {}
    texts = {text}
    for change in sorted(set(changes), key=lambda one: (one.start, one.end, one.put)):
        mutated = text[: change.start] + change.put + text[change.end :]
        if mutated in texts:
            continue
        texts.add(mutated)
        line = text.count("\n", 0, change.start) + 1
        line_text = text.splitlines()[line - 1].strip()
        what = f"{_shown(text[change.start : change.end])} → {_shown(change.put)}"
        nth = seen[line_text, what] = seen.get((line_text, what), 0) + 1
        yield Mutant(file, line, line_text, what, mutated, nth)


def _shown(text: str) -> str:
    return f"`{' '.join(text.split())}`" if text.strip() else "nothing"
