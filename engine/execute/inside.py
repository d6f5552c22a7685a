"""``python -m engine.execute.inside JOB OUT``: measure one cell in virtual time, and leave record, samples and logs in a folder.

The other side is virtual_runs.py, outside.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from common.errors import EXIT_CANNOT_RUN, UserError
from engine.collect.store import ResultStore
from engine.execute import imported_early  # noqa: F401 - it is there to be imported
from engine.execute.growing_files_inside import GrowthReporter
from engine.execute.progress import PROGRESS, CellProgress
from engine.execute.runs_on_this_kernel import RunsOnThisKernel
from engine.plan.cell import Cell
from engine.plan.job import CellJob
from engine.plan.options import RunOptions
from virtual_time.console import tell

TELL_EVERY_S = 0.25


class ToldProgress(CellProgress):
    """Tells the outside how far the cell is; shows nothing itself."""

    _told_s = -TELL_EVERY_S

    def __enter__(self) -> ToldProgress:
        return self

    def at(self, _cell: Cell, elapsed_s: float) -> None:
        """Seconds after the start of the cell's transmissions."""
        if elapsed_s >= self._told_s + TELL_EVERY_S:
            self._told_s = elapsed_s
            tell(PROGRESS, elapsed_s=round(elapsed_s, 3))
            self._tell_more()

    def _tell_more(self) -> None:
        """For those who tell more than that."""


def main(job_file: Path, out: Path) -> int:
    """Measure; mistakes are a message and an exit code."""
    job = CellJob.model_validate_json(job_file.read_bytes())
    request = replace(job.request, keep_samples=True)
    options = RunOptions(request, Console(quiet=True), job.toolchain, data_plane=job.data_plane)

    class WatchedProgress(ToldProgress):
        """Tells how the run's files grow as well."""

        _growth = GrowthReporter(out)

        def _tell_more(self) -> None:
            self._growth.tell()

    progress = WatchedProgress if job.watched else ToldProgress
    try:
        RunsOnThisKernel(ResultStore(out), options, {job.experiment: job.measurements}, progress).run([job.cell])
    except UserError as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    return 0


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: main(Path(sys.argv[1]), Path(sys.argv[2])))
