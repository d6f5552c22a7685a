"""The table of ``ENTRIES=1``: how often each program inside was entered and left, for bring-up and for the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from engine.collect.entries import EntryCounts
from engine.collect.record import CellRecord
from engine.collect.system_calls import name_of
from engine.plan.cell import logs_name
from reports.document.blocks import Table

SHOWN_PROGRAMS, SHOWN_CAUSES = 8, 3
HEADER = ["cell", "program", "most of it in the run", "bring-up", "run", "per frame"]


def entries_table(records: Iterable[CellRecord], folder: Path) -> Table | None:
    """The programs that were entered most, for each cell; None: nothing was counted.

    Args:
        records: of the cells.
        folder: of the results.

    Raises:
        UserError: a file cannot be read.
    """
    counted = [(record, found) for record in records if (found := EntryCounts.kept_in(folder / "logs" / logs_name(record.key)))]
    if not counted:
        return None
    rows = [row for record, counts in counted for row in _rows(record.key, counts)]
    return Table("Entries and exits of programs inside; a frame counts once for each link that sends it", HEADER, rows, left_columns=3)


def _rows(cell: str, counts: EntryCounts) -> list[list[str]]:
    bring_up, run = Counter[str](), Counter[str]()
    causes: dict[str, Counter[str]] = {}
    for one in counts.entries:
        bring_up[one.program] += one.bring_up
        run[one.program] += one.run
        causes.setdefault(one.program, Counter())[one.cause] += one.run
    most = [program for program, _ in (bring_up + run).most_common(SHOWN_PROGRAMS)]
    rows = [_row(cell, program, _words(causes[program]), bring_up[program], run[program], counts.frames) for program in most]
    return [*rows, _row(cell, "all programs", "", bring_up.total(), run.total(), counts.frames)]


def _row(cell: str, program: str, words: str, bring_up: int, run: int, frames: int) -> list[str]:
    return [cell, program, words, f"{bring_up:,}", f"{run:,}", f"{run / frames:.2f}" if frames else ""]


def _words(causes: Counter[str]) -> str:
    most = [(name_of(cause) if cause.isdecimal() else cause, times) for cause, times in causes.most_common(SHOWN_CAUSES) if times]
    return ", ".join(f"{times:,} {name}" for name, times in most)
