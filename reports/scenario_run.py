"""``make run``: measure all cells of a scenario file, show table, notes and picture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from glob import escape
from itertools import count
from pathlib import Path

from common.errors import UserError
from common.shown_path import shown
from common.whole_files import whole_file
from engine.collect.provenance import describe_machine, project_commit
from engine.collect.store import ResultStore
from engine.execute.runner import Runner
from engine.plan.budget import Work, real_budget, virtual_budget
from engine.plan.cell import Cell
from engine.plan.options import RunOptions
from reports.document.blocks import Block, Heading, Picture, Table, Text
from reports.document.markdown import render
from reports.experiment import ReportedExperiment
from reports.report import blocks_of_experiment
from reports.results import Results
from reports.summary.completion_picture import draw_completions, has_completions
from reports.summary.entries import entries_table
from reports.summary.kernels import kernel_tables
from reports.summary.notes import notes
from reports.summary.picture import draw_run, with_run_picture
from reports.summary.table import for_terminal, summary_tables
from topo.frame_capture import CONTROLLER_SNAP_BYTES, FILE, MOST_BYTES


def run_experiment(
    experiment: ReportedExperiment, folder: Path, options: RunOptions, page: AbstractContextManager[None] | None = None
) -> bool:
    """Measure a file's cells into ``folder`` and show the results.

    Args:
        page: serves a live page beside it; None: there is none.

    Returns:
        Whether every cell whose scheme this machine can have has a result, and there is such a cell.

    Raises:
        UserError: something did not start.
    """
    store = ResultStore(folder)
    experiment = with_run_picture(experiment)
    options = replace(options, request=replace(options.request, keep_samples=True), watched=page is not None)
    with page or nullcontext():
        Runner(store, options).run([experiment], lambda missing: _announce(missing, options))
    results = Results.of_cells(experiment.cells(), store.records(experiment.cells()))
    tables = [*summary_tables(experiment, results), *kernel_tables(experiment, results)]
    remarks = notes(experiment, results, options.toolchain)
    own = blocks_of_experiment(experiment, results) if experiment.definition.tables else []
    for table in [*tables, *(block for block in own if isinstance(block, Table))]:
        options.console.print(for_terminal(table, experiment.title))
    if (entries := entries_table(results.records, folder)) is not None:
        options.console.print(for_terminal(entries, ""))
    for remark in remarks:
        options.console.print(remark, highlight=False, markup=False)
    pictures = _draw(experiment, results, folder)
    _write(experiment, results, [*tables, *own], remarks, folder)
    for file in pictures:
        options.console.print(f"\npicture: {shown(file)}", highlight=False)
    options.console.print(f"samples and logs: {shown(folder)}", highlight=False)
    for file in _words_of_failed_programs(results, folder):
        options.console.print(f"all that a failed program said: {shown(file)}", highlight=False)
    for file in sorted(folder.glob(f"logs/*/{FILE}")):
        options.console.print(f"captured frames: {shown(file)}{_full(file)}", highlight=False)
    counted = [record for record in results.records if not record.is_left_out]
    return bool(counted) and all(record.is_result for record in counted)


def _announce(missing: Sequence[Sequence[Cell]], options: RunOptions) -> None:
    cells = [cell for listed in missing for cell in listed]
    budget = virtual_budget([Work(cells)], len(os.sched_getaffinity(0))) if options.virtual else real_budget(cells)
    options.console.print(str(budget), highlight=False)


def new_result_folder(parent: Path, name: str) -> Path:
    """Make an empty folder for a run's results, named after scenario and time; a second folder of the same second has ``-2`` besides.

    Raises:
        UserError: it cannot be made.
    """
    first = f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    for number in count(1):
        folder = parent / (first if number == 1 else f"{first}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if parent.is_dir():
                continue
            raise UserError(f"cannot make the folder for the results, {folder}: {parent} is no folder") from None
        except OSError as error:
            raise UserError(f"cannot make the folder for the results, {folder}: {error.strerror}") from None
        break
    return folder


def point_latest_to(folder: Path) -> None:
    """Make ``results/latest`` a link to the newest run."""
    with whole_file(folder.parent / "latest") as latest:
        latest.symlink_to(folder.name)


def _words_of_failed_programs(results: Results, folder: Path) -> list[Path]:
    failed = [(record, name) for record in results.records for name, ended in record.programs.items() if ended.has_failed]
    return [
        file
        for record, name in failed
        for file in sorted((folder / "scratch").glob(f"{escape(record.key.replace('/', '_'))}-attempt*/said-{name}.txt"))
    ]


def _full(file: Path) -> str:
    return ", full before the end" if file.stat().st_size > MOST_BYTES - CONTROLLER_SNAP_BYTES else ""


def _draw(experiment: ReportedExperiment, results: Results, folder: Path) -> list[Path]:
    files = []
    for number, (point, scenario) in enumerate(experiment.scenarios, start=1):
        records = [found[0] for scheme in scenario.run.schemes if (found := results.select(scheme, point))]
        if records:
            file = folder / ("throughput.png" if len(experiment.scenarios) == 1 else f"throughput-{number}.png")
            draw_run(scenario, records, file)
            files.append(file)
            if any(map(has_completions, records)):
                files.append(file.with_name(file.name.replace("throughput", "completion")))
                draw_completions(scenario, records, files[-1])
    return files


def _write(experiment: ReportedExperiment, results: Results, content: list[Block], remarks: list[str], folder: Path) -> None:
    machines = dict.fromkeys(f"{record.kernel}, {record.facts['machine']}" for record in results.records if "machine" in record.facts)
    facts = [f"commit {project_commit()}; {'; '.join(machines) or describe_machine()}"]
    blocks = [Heading(experiment.title, 1), *content, Text("\n".join(f"- {line}" for line in [*remarks, *facts]))]
    for block in blocks:
        if isinstance(block, Picture):
            block.draw(folder)
    (folder / "table.md").write_text(render(blocks), encoding="utf-8")
