"""Places in files, and errors that name them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from common.shown_path import shown


@dataclass(frozen=True)
class Place:
    """A line of a file; 0: nobody knows which."""

    file: Path
    line: int = 0

    def __str__(self) -> str:
        return f"{shown(self.file)}:{self.line}" if self.line else shown(self.file)

    def wrong(self, what: str, remedy: str = "") -> UserError:
        """The error that something is wrong here."""
        return UserError(f"{self}: {what}", remedy)


def line_at(text: str, offset: int) -> int:
    """The line, from 1, of an offset into a text."""
    return text.count("\n", 0, offset) + 1
