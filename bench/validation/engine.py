"""Measures a scenario file with the run engine; cells that have a result are not measured again."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from common.errors import UserError
from engine.collect.record import CellRecord
from engine.collect.store import ResultStore
from engine.execute.runner import Runner
from engine.plan.experiment import Effort
from engine.plan.options import RunOptions
from reports.experiment import ReportedExperiment
from scenario.run_request import RunRequest


def measure(file: Path, results: Path, console: Console, *, repetitions: int | None = None) -> list[CellRecord]:
    """The records of all its cells, in virtual time.

    Args:
        file: the scenario.
        results: folder for them.
        console: for progress.
        repetitions: None: as the file says.

    Raises:
        UserError: a cell has no result.
    """
    found = records(file, results, console, repetitions=repetitions)
    failed = next((record for record in found if not record.is_result), None)
    if failed is not None:
        raise UserError(f"{failed}: {failed.failure}")
    return found


def records(file: Path, results: Path, console: Console, *, repetitions: int | None = None, virtual: bool = True) -> list[CellRecord]:
    """The same, also of cells without a result, in virtual or in real time."""
    experiment = ReportedExperiment.read(file, Effort(repetitions=repetitions))
    store = ResultStore(results)
    Runner(store, RunOptions.of(RunRequest(), console, virtual=virtual)).run([experiment])
    return store.records(experiment.cells())
