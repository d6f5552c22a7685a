"""Measuring a cell until a measurement counts: a bounded number of times, and for a bounded time over all cells."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from engine.collect.fidelity import FidelityVerdict
from engine.collect.provenance import kernel_version
from engine.collect.record import CellRecord
from engine.collect.run_data import RunData
from engine.plan.cell import Cell
from engine.plan.repetition_time import RepetitionTime

Run = Callable[[Cell, Path], RunData]
WorkUp = Callable[[RunData], CellRecord]


def measure_cell(
    cell: Cell,
    run: Run,
    work_up: WorkUp,
    scratch: Callable[[Cell, int], Path],
    *,
    commit: str,
    repetition_time: RepetitionTime | None = None,
    keep_samples: bool = False,
    on_rejection: Callable[[FidelityVerdict, bool], None] = lambda _verdict, _again: None,
) -> CellRecord:
    """Measure a cell; repeat it while the fidelity verdict rejects the run, as often as its scenario allows.

    Args:
        cell: the cell to measure.
        run: runs it once.
        work_up: makes values and curves of a run's samples.
        scratch: makes the folder for an attempt's samples.
        commit: the project's commit, for the record.
        repetition_time: the time left for repeating; when it is used up, one rejection is enough. None: no limit.
        keep_samples: leave the folders; else they are removed.
        on_rejection: told of each rejected run, and whether it is repeated.

    Returns:
        The record; ``rejected`` holds the verdicts of the attempts that do not count.
    """
    started, begin_s = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    record = CellRecord.of(cell, commit=commit, kernel=kernel_version(), started=started)
    repetition_time = repetition_time or RepetitionTime()
    attempts = cell.scenario.run.attempts
    for attempt in range(1, attempts + 1):
        folder, attempt_s = scratch(cell, attempt), time.monotonic()
        data = run(cell, folder)
        if data.verdict.accepted:
            found = work_up(data)
            record.values, record.series, record.facts, record.verdict = found.values, found.series, found.facts, data.verdict
            record.programs, record.failure = found.programs, found.failure
        if not keep_samples and not record.failure:  # the samples of a failure stay for a look
            shutil.rmtree(folder, ignore_errors=True)
        if attempt > 1:
            repetition_time.spend(time.monotonic() - attempt_s)
        if record.verdict is not None:
            break
        record.rejected.append(data.verdict)
        again = attempt < attempts and repetition_time.is_left
        on_rejection(data.verdict, again)
        if not again:
            record.failure = f"none of {len(record.rejected)} runs kept the link model"
            if attempt < attempts:
                record.failure += "; the time for repeating runs was used up"
            break
    record.took_s = round(time.monotonic() - begin_s, 3)
    return record
