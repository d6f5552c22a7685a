"""The blocks of a report. The same blocks become Markdown and HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the report's title, an experiment's is 2, inside it 3."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Text:
    """Paragraphs or a list, in Markdown."""

    markdown: str


@dataclass(frozen=True)
class Table:
    """A table of text; ``caption`` says what the numbers are, and their unit."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left_columns: int = 1
    """How many columns from the left are text; the others are numbers and set to the right."""


@dataclass(frozen=True)
class Picture:
    """A picture as NAME.png and NAME.svg, its data as NAME.csv.

    Args:
        name: of the files, without suffix; unique in the report.
        caption: says what the picture shows.
        draw: makes the files in a folder.
        remark: says what the data show, in Markdown.
    """

    name: str
    caption: str
    draw: Callable[[Path], None]
    remark: str = ""


def picture_name(experiment: str, figure: str) -> str:
    """The name of the files of an experiment's figure, without suffix."""
    return f"{experiment}-{figure}"


def anchor(heading: str) -> str:
    """The anchor of a heading for links to it, the same in HTML as where Markdown is shown."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


Block = Heading | Text | Table | Picture
