"""What comes of cells, in either time: kept as soon as it is there; an end when one after the other fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.console import Console

from experiments.run.bring_up import needed_schemes
from experiments.run.cell import Cell
from experiments.run.record import LEFT_OUT, CellRecord
from experiments.run.store import ResultStore
from protocol.errors import UserError

MAX_FAILURES_IN_A_ROW = 3


class Outcomes:
    """Keeps them.

    Args:
        store: where.
        console: where it is said.
        commit: what the project is at, for records of cells that were not measured.
    """

    def __init__(self, store: ResultStore, console: Console, commit: str) -> None:
        self._store = store
        self._console = console
        self._commit = commit
        self._failures_in_a_row = 0
        self._said_missing: set[str] = set()

    def possible(
        self, cells: Sequence[Cell], missing: Mapping[str, str], left_out: Callable[[Cell], None] = lambda _cell: None
    ) -> list[Cell]:
        """Those whose schemes are all there; the others' records say why not, and each missing scheme is said once.

        Args:
            cells: all.
            missing: schemes that cannot be had, with the reasons.
            left_out: told of each of the others.
        """
        for text in sorted(missing.keys() - self._said_missing):
            self._console.print(f"{text} is left out: {missing[text]}", markup=False, highlight=False)
        self._said_missing |= missing.keys()
        found = []
        for cell in cells:
            absent = next((missing[scheme.text] for scheme in needed_schemes(cell) if scheme.text in missing), None)
            if absent is None:
                found.append(cell)
            else:
                self._store.save(CellRecord.of(cell, failure=LEFT_OUT + absent.splitlines()[0], commit=self._commit))
                left_out(cell)
        return found

    def failed(self, cell: Cell, error: UserError) -> None:
        """A cell could not be measured.

        Raises:
            UserError: so many in a row could not that the others will not do better.
        """
        self.measured(cell, CellRecord.of(cell, failure=str(error), commit=self._commit))

    def measured(self, cell: Cell, record: CellRecord) -> None:
        """Keep what came of a cell.

        Raises:
            UserError: as :meth:`failed`, if what came of it is that.
        """
        if record.failure:
            self._console.print(f"{cell}: no result: {record.failure}", highlight=False, markup=False)
        self._store.save(record)
        if record.is_result or record.rejected:
            self._failures_in_a_row = 0
        elif not record.is_left_out:
            self._failures_in_a_row += 1
        if self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise UserError(f"{self._failures_in_a_row} cells in a row have no result; the last: {record.failure}")
