"""Keeps the record of each cell, in either time, as soon as it is there; ends a run in which one cell after the other fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.console import Console

from common.errors import UserError
from engine.collect.record import LEFT_OUT, CellRecord
from engine.plan.schemes import needed_schemes
from engine.plan.task import Task

MAX_FAILURES_IN_A_ROW = 3


class RecordKeeper:
    """Saves records in their stores, and says on the console which cells have no result.

    Args:
        console: where it is said.
        commit: the project's commit, for records of cells that were not measured.
    """

    def __init__(self, console: Console, commit: str) -> None:
        self._console = console
        self._commit = commit
        self._failures_in_a_row = 0
        self._said_missing: set[str] = set()

    def possible(
        self, tasks: Sequence[Task], missing: Mapping[str, str], left_out: Callable[[Task], None] = lambda _task: None
    ) -> list[Task]:
        """Those whose schemes are all there; the others' records say why not, and each missing scheme is said once.

        Args:
            tasks: cells that are to be measured.
            missing: schemes that cannot be had, with the reasons.
            left_out: told of each of the others.
        """
        for text in sorted(missing.keys() - self._said_missing):
            self._console.print(f"{text} is left out: {missing[text]}", markup=False, highlight=False)
        self._said_missing |= missing.keys()
        found = []
        for task in tasks:
            absent = next((missing[scheme.text] for scheme in needed_schemes(task.cell) if scheme.text in missing), None)
            if absent is None:
                found.append(task)
            else:
                task.store.save(CellRecord.of(task.cell, failure=LEFT_OUT + absent.splitlines()[0], commit=self._commit))
                left_out(task)
        return found

    def failed(self, task: Task, error: UserError) -> None:
        """A cell could not be measured.

        Raises:
            UserError: so many in a row could not that the others will not do better.
        """
        self.measured(task, CellRecord.of(task.cell, failure=str(error), commit=self._commit))

    def measured(self, task: Task, record: CellRecord) -> None:
        """Keep the record of a cell.

        Raises:
            UserError: as :meth:`failed`, if the record is one of a failure.
        """
        if record.failure:
            self._console.print(f"{task.cell}: no result: {record.failure}", highlight=False, markup=False)
        task.store.save(record)
        if record.is_result or record.rejected or record.programs:  # its programs were run, and failed
            self._failures_in_a_row = 0
        elif not record.is_left_out:
            self._failures_in_a_row += 1
        if self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise UserError(f"{self._failures_in_a_row} cells in a row have no result; the last: {record.failure}")
