"""A scenario that was measured with the student's programs, and rules about its results."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.collect.record import CellRecord
from engine.collect.store import ResultStore
from engine.execute.runner import Batch
from engine.plan.options import RunOptions
from hosts.cca.sources import OWN_FOLDER_VARIABLE
from labs.check.runs import DIGITS, measured_records, testbed_digest
from labs.check.student_programs import StudentPrograms
from labs.check.vocabulary import Failed
from reports.summary.picture import draw_run, with_run_picture

C_SUFFIXES = (".c", ".h")


@dataclass(frozen=True)
class Measured:
    """The results of a run: a record a scheme."""

    records: tuple[CellRecord, ...]
    pictures: tuple[Path, ...]
    folder: Path
    """The folder of the run's results, its logs among them."""

    def value(self, name: str, scheme: str = "") -> float:
        """A value of the run (engine/collect/values.py): ``mean_mbps.A``, ``queue_drops``.

        Raises:
            Failed: the run has none.
        """
        record = self._record(scheme)
        value = record.values.get(name)
        if value is None:
            raise Failed(f"the run has no {name}", [f"it has: {', '.join(sorted(record.values))}"])
        return value

    def log(self, name: str, scheme: str) -> Path:
        """A file among the logs of a scheme's run.

        Raises:
            Failed: there is none.
        """
        file = self.folder / "logs" / self._record(scheme).key.replace("/", "_") / name
        if not file.is_file():
            raise Failed(f"the run of {scheme} has left no {name}", [f"expected: {file}"])
        return file

    def at_least(self, name: str, least: float, hint: str = "", scheme: str = "") -> None:
        """The rule that a value is not below ``least``."""
        self._rule(name, scheme, self.value(name, scheme) >= least, f"at least {least:g}", hint)

    def at_most(self, name: str, most: float, hint: str = "", scheme: str = "") -> None:
        """The rule that a value is not above ``most``."""
        self._rule(name, scheme, self.value(name, scheme) <= most, f"at most {most:g}", hint)

    def between(self, name: str, least: float, most: float, hint: str = "", scheme: str = "") -> None:
        """The rule that a value is in a range."""
        self._rule(name, scheme, least <= self.value(name, scheme) <= most, f"{least:g} to {most:g}", hint)

    def _rule(self, name: str, scheme: str, holds: bool, wanted: str, hint: str) -> None:
        if not holds:
            message = f"{name} is {self.value(name, scheme):.4g}, expected {wanted}{f': {hint}' if hint else ''}"
            raise Failed(message, [f"picture: {file}" for file in self.pictures])

    def _record(self, scheme: str) -> CellRecord:
        return next(one for one in self.records if scheme in ("", one.scheme))


def measure(
    scenarios: Sequence[Path],
    programs: StudentPrograms,
    options: RunOptions,
    kept: Path,
    schemes: Path | None = None,
    pictures: Path | None = None,
) -> list[Measured]:
    """Measure all schemes of several scenarios, side by side; once for the same programs and the same testbed.

    Args:
        scenarios: their files.
        programs: the student's.
        options: of the runs.
        kept: folder for results.
        schemes: folder with the student's congestion controls.
        pictures: folder for copies of the pictures, as they are called in a README; None: there are none.

    Raises:
        Failed: there is no result, which is the program's doing: runs of the solution show that the machine can.
    """
    own = [] if schemes is None else sorted(file for file in schemes.iterdir() if file.suffix in C_SUFFIXES)
    testbed, files = testbed_digest(options), [*programs.files, *own]
    batches = []
    for scenario in scenarios:
        store = ResultStore(kept / f"run-{_digest(testbed, [scenario, *files])}")
        batches.append(Batch(store, [with_run_picture(programs.experiment(scenario))]))
    with schemes_from(schemes):
        records = measured_records(batches, options)
    return [
        Measured(tuple(some), (_picture(file, batch, some, pictures),), batch.store.folder)
        for file, batch, some in zip(scenarios, batches, records, strict=True)
    ]


def _picture(scenario: Path, batch: Batch, records: Sequence[CellRecord], copies: Path | None) -> Path:
    drawn = batch.store.folder / f"{scenario.stem}.png"
    if not drawn.exists():
        draw_run(batch.experiments[0].scenarios[0][1], records, drawn)
    return drawn if copies is None else Path(shutil.copyfile(drawn, copies / drawn.name))


@contextmanager
def schemes_from(folder: Path | None) -> Iterator[None]:
    """Schemes are looked for in a folder besides those of the testbed, here and inside the network."""
    if folder is None:
        yield
        return
    before = os.environ.get(OWN_FOLDER_VARIABLE)
    os.environ[OWN_FOLDER_VARIABLE] = str(folder)
    try:
        yield
    finally:
        os.environ.pop(OWN_FOLDER_VARIABLE)
        if before is not None:
            os.environ[OWN_FOLDER_VARIABLE] = before


def _digest(testbed: str, files: Sequence[Path]) -> str:
    contents = [testbed.encode(), *(file.read_bytes() for file in files)]
    return hashlib.sha256(b"\0".join(contents)).hexdigest()[:DIGITS]
