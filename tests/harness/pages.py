"""The code blocks of pages under docs/, which tests execute.

A block's first line names its language and, for a file that the reader is to save, the file: three backquotes, `p4 router.p4`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from tests.harness.switches import REPOSITORY

BLOCK = re.compile(r"^```(?P<language>\S+)(?: (?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^## (?P<heading>.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of code."""

    language: str
    file: str
    """The file that it is to be saved as; empty if it is none."""
    text: str
    """Its lines, each with its end."""


@dataclass(frozen=True)
class Page:
    """A page, by its path in docs/."""

    name: str

    def __str__(self) -> str:
        return self.name

    @cached_property
    def text(self) -> str:
        """All of it."""
        return (REPOSITORY / "docs" / self.name).read_text(encoding="utf-8")

    def headings(self) -> list[str]:
        """The headings of its sections, in order."""
        return SECTION.findall(self.text)

    def section(self, heading: str) -> str:
        """The text beneath a heading. Raises AssertionError if there is no such section."""
        _, *parts = SECTION.split(self.text)
        sections = dict(zip(parts[::2], parts[1::2], strict=True))
        assert heading in sections, f"docs/{self.name} has no section {heading!r}"
        return sections[heading]

    def blocks(self, language: str | None = None, *, section: str | None = None) -> list[Block]:
        """The blocks in a language (of any without), of the whole page or beneath a heading, in order."""
        text = self.text if section is None else self.section(section)
        blocks = [Block(match["language"], match["file"] or "", match["text"]) for match in BLOCK.finditer(text)]
        return [block for block in blocks if language in (None, block.language)]
