"""Marks behind values of a table that have no interval, or are of another kind than those beside them; and the meaning of the marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reports.claims.intervals import CONFIDENCE
from reports.definition import CellMark
from reports.results import MEANING
from scenario.file import Scalar

BETWEEN = " ± "
OR = "; or "
"""Between the meanings of a sign that has several, in columns of different experiments."""


def signs(marks: Iterable[CellMark], scheme: str, point: Mapping[str, Scalar]) -> str:
    """The signs of a scheme's values at a point.

    Args:
        marks: of the experiment.
        scheme: whose value it is.
        point: all that is known of the grid's variables.
    """
    return "".join(
        mark.sign
        for mark in marks
        if (not mark.schemes or scheme in mark.schemes) and all(point.get(name) == value for name, value in mark.where.items())
    )


def with_legend(caption: str, rows: Sequence[Sequence[str]], marks: Iterable[CellMark] = ()) -> str:
    """A table's caption with the meaning of the signs in its cells.

    Args:
        caption: of the table.
        rows: its texts.
        marks: of the experiment.
    """
    text = "\n".join(cell for row in rows for cell in row)
    found = [f"Mean ± half of the {CONFIDENCE:.0%} confidence interval.".replace("%", " %")] if BETWEEN in text else []
    meaning = dict(MEANING)
    for mark in marks:
        if mark.text not in (said := meaning.get(mark.sign, "")).split(OR):
            meaning[mark.sign] = f"{said}{OR}{mark.text}" if said else mark.text
    found += [f"{sign} {said}." for sign, said in meaning.items() if sign in text]
    return " ".join([caption, *found])
