"""A scenario that was measured with the student's programs, and rules about what came out."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from experiments.run.experiment import Experiment
from experiments.run.options import RunOptions
from experiments.run.programs import Programs
from experiments.run.provenance import project_commit
from experiments.run.record import CellRecord
from experiments.run.runner import Runner
from experiments.run.store import ResultStore
from experiments.summary.picture import draw_run, with_run_picture
from hosts.cca.sources import OWN_FOLDER_VARIABLE
from labs.check.vocabulary import Failed
from protocol.errors import UserError
from topo.network_plan import GRPC_BASE_PORT
from topo.toolchain import Toolchain

C_SUFFIXES = (".c", ".h")


@dataclass(frozen=True)
class RunSettings:
    """How runs are measured.

    Args:
        virtual: in virtual time; else in real time, as root.
        console: shows how far they are.
    """

    virtual: bool
    console: Console = field(default_factory=lambda: Console(quiet=True))


@dataclass(frozen=True)
class Measured:
    """What was measured: a record a scheme."""

    records: tuple[CellRecord, ...]
    pictures: tuple[Path, ...]
    folder: Path
    """Of the run's results, its logs among them."""

    def value(self, name: str, scheme: str = "") -> float:
        """A value of the run (experiments/run/values.py): ``mean_mbps.A``, ``queue_drops``.

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


def measure(scenario: Path, programs: Programs, settings: RunSettings, work: Path, schemes: Path | None = None) -> Measured:
    """Measure all schemes of a scenario; once for the same programs.

    Args:
        scenario: its file.
        programs: the student's.
        settings: how.
        work: folder for what is measured.
        schemes: folder with the student's congestion controls.

    Raises:
        Failed: there is no result, which is the program's doing: whoever measures the solution sees that the machine can.
    """
    own = [] if schemes is None else sorted(file for file in schemes.iterdir() if file.suffix in C_SUFFIXES)
    folder = work / f"run-{_digest([scenario, *programs.files('').values(), *own])}"
    with _schemes_from(schemes):
        return _measured(scenario, programs, settings, work, folder)


def _measured(scenario: Path, programs: Programs, settings: RunSettings, work: Path, folder: Path) -> Measured:
    experiment = with_run_picture(Experiment.read(scenario))
    options = RunOptions(Toolchain(), GRPC_BASE_PORT, settings.console, virtual=settings.virtual, programs=programs)
    store = ResultStore(folder)
    try:
        Runner(store, options).run([experiment])
    except UserError as error:
        raise Failed(f"the run has no result: {_first_line(str(error))}", str(error).splitlines()) from None
    records = tuple(store.records(experiment.cells()))
    for record in records:
        if record.failure is not None:
            raise Failed(f"the run has no result: {_first_line(record.failure)}", [*record.failure.splitlines(), *_logs(folder)])
    picture = work / f"{scenario.stem}.png"
    drawn = folder / picture.name
    if not drawn.exists():
        draw_run(experiment.scenarios[0][1], records, drawn)
    shutil.copyfile(drawn, picture)
    return Measured(records, (picture,), folder)


@contextmanager
def _schemes_from(folder: Path | None) -> Iterator[None]:
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


def _digest(files: Sequence[Path]) -> str:
    """Another commit of the testbed may have other digits."""
    contents = [project_commit().encode(), *(file.read_bytes() for file in files)]
    return hashlib.sha256(b"\0".join(contents)).hexdigest()[:12]


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""


def _logs(folder: Path) -> list[str]:
    return [f"log: {file}" for file in sorted(folder.glob("logs/**/*.log")) if file.stat().st_size]
