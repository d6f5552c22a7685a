"""Measures all cells that have no result yet, in the time that is wished for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.run.experiment import Experiment
from experiments.run.options import RunOptions
from experiments.run.real_time import RealTimeRuns
from experiments.run.store import ResultStore
from experiments.run.virtual_runs import VirtualRuns
from scenario.file import Size
from topo.toolchain import Toolchain


class Runner:
    """Runs cells that have no result yet.

    Args:
        store: where results are, and go.
        options: how.
    """

    def __init__(self, store: ResultStore, options: RunOptions) -> None:
        self._store = store
        self._options = options

    def run(self, experiments: Sequence[Experiment]) -> None:
        """Measure what is missing.

        Raises:
            UserError: a network did not start, or one cell after the other failed.
        """
        definitions = {experiment.name: experiment.definition for experiment in experiments}
        cells = [cell for experiment in experiments for cell in experiment.cells()]
        todo = [cell for cell in cells if not self._store.is_done(cell)]
        if len(todo) < len(cells):
            self._options.console.print(f"{len(cells) - len(todo)} of {len(cells)} cells are measured already; FRESH=1 measures them anew")
        runs = (VirtualRuns if self._options.virtual else RealTimeRuns)(self._store, self._options, definitions)
        runs.run(todo)


def results_folder(results: Path, name: str, toolchain: Toolchain, size: Size = Size.NORMAL, *, virtual: bool = False) -> Path:
    """Where the results of a paper are: each size keeps its own, since it measures other runs, and so do toolchains and times."""
    parts = [
        name,
        "" if size is Size.NORMAL else str(size),
        "" if virtual else "real-time",
        "p4c" if toolchain.p4c else "",
        "bmv2" if toolchain.bmv2 else "",
    ]
    return results / "reproduce" / "-".join(part for part in parts if part)
