"""``CELL=``: one cell measured again, and its samples compared with those that are known."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from common.errors import UserError
from common.shown_path import shown
from engine.collect.kept_records import KeptRecords
from engine.collect.record import SAMPLES, CellRecord
from engine.collect.store import ResultStore
from engine.execute.bring_up import check_can_run
from engine.execute.runner import Batch, measure_missing
from engine.execute.time_choice import check_kernels
from engine.plan.cell import Cell
from engine.plan.options import RunOptions
from reports.experiment import ReportedExperiment
from scenario.run_request import RunRequest

FOLDER = "repeated"
"""Beside the paper's cells."""
SHOWN_VALUES = 40


def repeat_cell(
    request: RunRequest, experiments: Sequence[ReportedExperiment], store: ResultStore, kept: Path, options: RunOptions
) -> tuple[bool, list[Path]]:
    """Measure the cell that ``request.cell`` names, and say whether its samples are those of the paper's results and of the kept record.

    Args:
        request: with the cell's name.
        experiments: one of them has it.
        store: the paper's results.
        kept: folder of the paper's kept report, which may have none.
        options: how to measure.

    Returns:
        Whether it has a result, and the record's file.

    Raises:
        UserError: there is no such cell; or something that a run needs is missing.
    """
    experiment, cell = _named(request.cell, experiments)
    check_kernels([cell.scenario], virtual=options.virtual)
    check_can_run([cell.scenario], options.toolchain, request.grpc_base_port, virtual=options.virtual)
    again = ResultStore(store.folder / FOLDER)
    again.forget([cell])
    measure_missing([Batch(again, [experiment], cell.key)], options)
    record = again.load(cell)
    if record is None or not record.is_result:
        return False, []
    known = {name: value for name, value in record.values.items() if value is not None}
    for name, value in list(known.items())[:SHOWN_VALUES]:
        options.console.print(f"  {name} = {value:.6g}", highlight=False)
    if len(known) > SHOWN_VALUES:
        options.console.print(f"  and {len(known) - SHOWN_VALUES} more in the record", highlight=False)
    options.console.print(f"samples {record.facts.get(SAMPLES, 'without checksum')}", highlight=False)
    for place, other in _known(cell, store, kept).items():
        alike = record.facts.get(SAMPLES) == other.facts.get(SAMPLES)
        options.console.print(
            f"the same as in {place}" if alike else f"not the same as in {place}: {other.facts.get(SAMPLES)} there, at {other.commit[:12]}",
            highlight=False,
        )
    return True, [again.file(cell)]


def _named(key: str, experiments: Sequence[ReportedExperiment]) -> tuple[ReportedExperiment, Cell]:
    cells = {cell.key: (experiment, cell) for experiment in experiments for cell in experiment.cells()}
    if key not in cells:
        near = get_close_matches(key, cells, n=1, cutoff=0.0)
        raise UserError(f"CELL={key}: there is no such cell in this size", f"for example: CELL='{near[0]}'")
    return cells[key]


def _known(cell: Cell, store: ResultStore, kept: Path) -> dict[str, CellRecord]:
    """Records of the same cell, by where they are."""
    found = {} if (record := store.load(cell)) is None else {shown(store.folder): record}
    one = KeptRecords(kept).record(cell)
    return found if one is None else {**found, shown(kept): one}
