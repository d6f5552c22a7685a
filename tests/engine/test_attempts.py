"""A cell is measured until a run counts: bounded in number and time, and a rejected value is never kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.collect.record import CellRecord
from engine.collect.run_data import RunData
from engine.collect.store import ResultStore
from engine.execute.attempts import measure_cell
from engine.plan.cell import Cell
from engine.plan.repetition_time import RepetitionTime
from tests.engine.cells import one_cell, run_data


def test_rejected_measurements_are_repeated_and_counted(tmp_path: Path) -> None:
    given = iter([False, False, True])
    folders: list[Path] = []
    cell = one_cell(tmp_path)

    def run(_cell: Cell, folder: Path) -> RunData:
        folders.append(folder)
        return run_data(next(given))

    told: list[bool] = []
    result = measure_cell(
        cell,
        run,
        lambda _run: CellRecord.of(cell, values={"x": 1.0}),
        ResultStore(tmp_path).scratch,
        commit="c",
        on_rejection=lambda _verdict, again: told.append(again),
    )
    assert result.values == {"x": 1.0}
    assert len(result.rejected) == 2
    assert told == [True, True]
    assert result.failure is None
    assert len(set(folders)) == 3
    assert not any(folder.exists() for folder in folders)


def test_repetition_is_bounded_and_a_rejected_run_is_not_even_worked_up(tmp_path: Path) -> None:
    def never(_run: RunData) -> CellRecord:
        raise AssertionError("a rejected run was worked up")

    result = measure_cell(one_cell(tmp_path), lambda _cell, _folder: run_data(False), never, ResultStore(tmp_path).scratch, commit="c")
    assert len(result.rejected) == 4
    assert result.values == {}
    assert not result.is_result
    assert result.failure == "none of 4 runs kept the link model"


def test_when_the_time_for_repeating_is_used_up_one_rejection_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0
    monkeypatch.setattr("engine.execute.attempts.time.monotonic", lambda: now_s)
    cell, scratch, shared = one_cell(tmp_path), ResultStore(tmp_path).scratch, RepetitionTime(6.0)

    def rejected(_cell: Cell, _folder: Path) -> RunData:
        nonlocal now_s
        now_s += 4.0
        return run_data(False)

    first, second = (
        measure_cell(cell, rejected, lambda _run: CellRecord.of(cell), scratch, commit="c", repetition_time=shared) for _ in range(2)
    )
    assert len(first.rejected) == 3
    assert first.failure == "none of 3 runs kept the link model; the time for repeating runs was used up"
    assert len(second.rejected) == 1
    assert not second.is_result
