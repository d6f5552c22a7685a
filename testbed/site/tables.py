"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a line for each row.

    Args:
        heads: of the columns.
        rows: a text for each column, in Markdown.
    """
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cell(text: str) -> str:
    """A text that a cell can hold: in one line, and without a bar that would end it."""
    return " ".join(text.split()).replace("|", "\\|")
