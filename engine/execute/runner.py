"""Measures all cells that have no result yet, in the time that is wished for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.collect.description import RunDescription
from engine.collect.store import ResultStore
from engine.execute.runs_on_this_kernel import RunsOnThisKernel
from engine.execute.traced_sources import keep_sources
from engine.execute.virtual_runs import VirtualRuns
from engine.plan.cell import Cell
from engine.plan.experiment import Experiment
from engine.plan.options import RunOptions
from engine.plan.task import Task
from scenario.run_request import Size
from topo.toolchain import Toolchain
from virtual_time.kernel.build import name_of

REPRODUCE = "reproduce"
"""The folder of all papers' results."""

Announce = Callable[[Sequence[Sequence[Cell]]], None]
"""Told which cells of each batch are to be measured."""


@dataclass(frozen=True)
class Batch:
    """Experiments whose results are kept in one place.

    Args:
        store: the place.
        experiments: their cells are wanted.
        only: the key of the one cell that is; empty: all are.
    """

    store: ResultStore
    experiments: Sequence[Experiment]
    only: str = ""

    def cells(self) -> list[Cell]:
        """The wanted cells of all experiments, in their order."""
        return [cell for experiment in self.experiments for cell in experiment.cells() if self.only in ("", cell.key)]

    def missing(self) -> list[Cell]:
        """Those that have no result yet."""
        return [cell for cell in self.cells() if not self.store.is_done(cell)]


class Runner:
    """Runs cells that have no result yet.

    Args:
        store: where results are, and go.
        options: settings for all cells, virtual or real time among them.
    """

    def __init__(self, store: ResultStore, options: RunOptions) -> None:
        self._store = store
        self._options = options

    def run(self, experiments: Sequence[Experiment], announce: Announce = lambda _cells: None) -> None:
        """Measure the missing cells.

        Args:
            experiments: those whose cells may be missing.
            announce: told which cells, if any, before they are measured.

        Raises:
            UserError: a network did not start, or one cell after the other failed.
        """
        measure_missing([Batch(self._store, experiments)], self._options, announce)


def measure_missing(batches: Sequence[Batch], options: RunOptions, announce: Announce = lambda _cells: None) -> None:
    """Measure the missing cells of several batches; in virtual time these share the processors, in real time one follows the other.

    Descriptions of the runs go into the results' folders first (``run.json``), so that people can watch the runs.

    Args:
        batches: the wanted experiments, with their stores.
        options: settings for all cells, virtual or real time among them.
        announce: told which cells of each are missing, if any, before they are measured.

    Raises:
        UserError: a network did not start, or one cell after the other failed.
    """
    todo = [(batch, {one.name: one.measurements for one in batch.experiments}, batch.missing()) for batch in batches]
    wanted, left = sum(len(batch.cells()) for batch in batches), sum(len(cells) for _, _, cells in todo)
    if left < wanted:
        options.console.print(f"{wanted - left} of {wanted} cells are measured already; FRESH=1 measures them anew")
    if left:
        announce([cells for _, _, cells in todo])
    for batch, _, cells in todo:
        if cells:
            if options.request.trace:  # first: a reader that waits for the description reads them with it
                keep_sources(batch.store.folder, cells, options)
            RunDescription.of(batch.experiments, options).write(batch.store.folder)
    if options.virtual:
        tasks = [Task(cell, measurements[cell.experiment], batch.store) for batch, measurements, cells in todo for cell in cells]
        VirtualRuns(options).run(tasks)
        return
    for batch, measurements, cells in todo:
        RunsOnThisKernel(batch.store, options, measurements).run(cells)


def results_folder(
    results: Path, name: str, toolchain: Toolchain, size: Size = Size.NORMAL, *, kernel: str = "", virtual: bool = False
) -> Path:
    """Where the results of a paper are: each size keeps its own, since it measures other runs, and so do toolchains, kernels and times."""
    parts = [
        name,
        "" if size is Size.NORMAL else str(size),
        "" if virtual else "real-time",
        "p4c" if toolchain.p4c else "",
        "bmv2" if toolchain.bmv2 else "",
        name_of(kernel) if kernel else "",
    ]
    return results / REPRODUCE / "-".join(part for part in parts if part)
