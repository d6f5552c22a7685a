"""``python -m experiments.run.inside JOB OUT``: measure one cell in virtual time, and leave record, samples and logs in a folder.

The other side is virtual_runs.py, outside.
"""

from __future__ import annotations

import os
import sys
import zlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from experiments.run.cell import Cell
from experiments.run.job import CellJob
from experiments.run.options import RunOptions
from experiments.run.progress import CellProgress
from experiments.run.real_time import RealTimeRuns
from experiments.run.store import ResultStore
from protocol.errors import EXIT_CANNOT_RUN, UserError
from virtual_time.console import tell

PROGRESS = "progress"
GROWN = "grown"
"""The event: a file has grown."""

TELL_EVERY_S = 0.25
AT_ONCE_BYTES = 1 << 20
GROWING = (".csv", ".log", ".jsonl", ".json")
"""Files whose growth is told."""


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


class Growth:
    """Follows all files below a folder for the outside (growth.py).

    Looking must change no digit of a run: nothing here reads a clock, waits, or asks for a file that is not there. Nor is it in a module
    of its own, since looking for one asks for files that are not there.

    Args:
        folder: which.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._told: dict[str, int] = {}

    def tell(self) -> None:
        """Tell the outside what is new."""
        for path, size in self._files(str(self._folder)):
            told = self._told.get(path, 0)
            if size > told:
                self._told[path] = told + self._tell_file(path, told)

    def _files(self, folder: str) -> Iterator[tuple[str, int]]:
        with os.scandir(folder) as found:
            for entry in sorted(found, key=lambda one: one.name):
                if entry.is_dir(follow_symlinks=False):
                    yield from self._files(entry.path)
                elif entry.name.endswith(GROWING):
                    yield entry.path, entry.stat(follow_symlinks=False).st_size

    def _tell_file(self, path: str, told: int) -> int:
        file = os.open(path, os.O_RDONLY)
        try:
            new = os.pread(file, AT_ONCE_BYTES, told)
        finally:
            os.close(file)
        tell(GROWN, file=path[len(str(self._folder)) + 1 :], at=told, data=b64encode(zlib.compress(new, 1)).decode())
        return len(new)


def main(job_file: Path, out: Path) -> int:
    """Measure; mistakes are a message and an exit code."""
    job = CellJob.model_validate_json(job_file.read_bytes())
    options = RunOptions(
        job.toolchain,
        job.grpc_base_port,
        Console(quiet=True),
        keep_samples=True,
        programs=job.programs,
        capture=job.capture,
        trace=job.trace,
    )

    class WatchedProgress(ToldProgress):
        """Tells how the run's files grow as well."""

        _growth = Growth(out)

        def _tell_more(self) -> None:
            self._growth.tell()

    progress = WatchedProgress if job.watched else ToldProgress
    try:
        RealTimeRuns(ResultStore(out), options, {job.experiment: job.definition}, progress).run([job.cell])
    except UserError as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    return 0


if __name__ == "__main__":
    from protocol.command_end import end_with

    end_with(lambda: main(Path(sys.argv[1]), Path(sys.argv[2])))
