"""The results of grading, as a CSV and as one HTML page that needs nothing else.

Names and messages are students': nothing in them may be more than text.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from html import escape
from pathlib import Path

from common.write_errors import cannot_write
from labs.check.contest import HIDDEN, OPEN
from labs.grade.grading import CHECKED, Grade

COLUMNS = ("hand_in", "lab", "state", "earned", "points", "score_open", "score_hidden", "took_s", "message")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""The beginnings of cells that a spreadsheet would compute."""

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1b1f24 }
table { border-collapse: collapse; margin: 1rem 0 2rem }
th, td { padding: .3rem .7rem; border-bottom: 1px solid #d8dee4; text-align: left; vertical-align: top }
td.number { text-align: right; font-variant-numeric: tabular-nums } tr.ended td { background: #fff1f0 }
"""


def leaders(grades: Sequence[Grade]) -> list[tuple[Grade, float]]:
    """The grades with a contest's score, the best first, and that score: on hidden traces where there is one, else on open ones."""
    scored = [(grade, grade.scores.get(HIDDEN, grade.scores.get(OPEN))) for grade in grades]
    return sorted(((grade, score) for grade, score in scored if score is not None), key=lambda one: (-one[1], one[0].hand_in))


def write_csv(grades: Sequence[Grade], file: Path) -> None:
    """Write the table.

    Raises:
        UserError: it cannot be written.
    """
    try:
        with file.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(COLUMNS)
            for one in grades:
                scores = [f"{one.scores[name]:.6f}" if name in one.scores else "" for name in (OPEN, HIDDEN)]
                row = (_cell(one.hand_in), one.lab, one.state, one.earned, one.points, *scores, f"{one.took_s:.1f}", _cell(one.message))
                writer.writerow(row)
    except OSError as error:
        raise cannot_write(error) from None


def write_page(grades: Sequence[Grade], file: Path) -> None:
    """Write the page.

    Raises:
        UserError: it cannot be written.
    """
    parts = ["<!doctype html><html lang='en'><meta charset='utf-8'><title>Grades</title>", f"<style>{STYLE}</style><h1>Grades</h1>"]
    board = leaders(grades)
    if board:
        rows = [
            [str(place), one.hand_in, _score(one.scores.get(HIDDEN)), _score(one.scores.get(OPEN)), f"{one.earned}/{one.points}"]
            for place, (one, _) in enumerate(board, start=1)
        ]
        parts += ["<h2>Leader board of the contest</h2>", _table(["", "hand-in", "hidden traces", "open traces", "points"], rows)]
        parts += ["<p>Score: mean over the traces of ln(throughput in Mbit/s / 95th percentile of the RTT in s).</p>"]
    rows = [[one.hand_in, str(one.lab), _points(one), f"{one.took_s:.0f} s", one.message] for one in grades]
    ended = {number for number, one in enumerate(grades) if one.state != CHECKED}
    parts += ["<h2>All hand-ins</h2>", _table(["hand-in", "lab", "points", "took", "first failure"], rows, ended), "</html>"]
    try:
        file.write_text("\n".join(parts), encoding="utf-8")
    except OSError as error:
        raise cannot_write(error) from None


def _points(grade: Grade) -> str:
    return f"{grade.earned}/{grade.points}" if grade.state == CHECKED else grade.state


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:.3f}"


def _cell(text: str) -> str:
    clean = " ".join(text.split())
    return f"'{clean}" if clean.startswith(FORMULA) else clean


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], marked: Collection[int] = ()) -> str:
    lines = ["<table><tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    for number, row in enumerate(rows):
        lines.append(f"<tr{' class=ended' if number in marked else ''}>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
    return "\n".join([*lines, "</table>"])
