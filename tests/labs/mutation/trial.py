"""The message of the first check that a mutant fails."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labs.catalogue import Lab
from labs.check.p4_program import compile_program
from labs.checking import Request, check_lab
from labs.lab_result import FAILED, CheckResult
from labs.run_options import quiet_run_options
from tests.labs.mutation.mutant import Mutant

CRASHED = "the check itself has failed"
NOT_COMPILED = ("does not compile", "cannot be read")


@dataclass(frozen=True)
class Trial:
    """A mutant, and the message of the first check that it fails, as a student is told it in full.

    Args:
        mutant: a changed solution.
        message: empty: it has passed.
        same_program: the compiler makes the same of it as of the solution.
    """

    mutant: Mutant
    message: str
    same_program: bool = False

    @property
    def has_passed(self) -> bool:
        """No check fails."""
        return not self.message

    @property
    def is_refused(self) -> bool:
        """It is no program: the compiler says so."""
        return any(text in self.message for text in NOT_COMPILED)


@dataclass(frozen=True)
class Trials:
    """How a lab's mutants are tried.

    Args:
        lab: the lab of the solution.
        solution: the files of the solution that are handed in, by name.
        kept: folder of runs in which nothing is a student's.
        with_runs: in virtual time; else checks that have to measure are left out.
    """

    lab: Lab
    solution: Mapping[str, Path]
    kept: Path
    with_runs: bool = False

    def of(self, mutant: Mutant) -> Trial:
        """Check one."""
        with tempfile.TemporaryDirectory(prefix="mutant-") as name:
            folder = Path(name)
            (folder / "in").mkdir()
            files = {}
            for file, original in self.solution.items():
                files[file] = folder / "in" / file
                files[file].write_text(mutant.text if file == mutant.file else original.read_text(encoding="utf-8"), encoding="utf-8")
            options = quiet_run_options() if self.with_runs else None
            message = ""
            try:
                check_lab(Request(self.lab, files, folder / "work", options, _stop, kept=self.kept))
            except _FailedError as failed:
                message = failed.message
            except Exception as error:
                message = f"{CRASHED}: {error!r}"
            is_same = (
                not message and self.lab.declaration.p4 is not None and self._compiled(files, folder) == self._compiled_solution(folder)
            )
            return Trial(mutant, message, is_same)

    def of_all(self, mutants: Sequence[Mutant], workers: int) -> Iterator[Trial]:
        """Check many side by side; in their order."""
        with ProcessPoolExecutor(workers) as pool:
            yield from pool.map(self.of, mutants)

    def _compiled_solution(self, folder: Path) -> Any:
        return self._compiled(self.solution, folder)

    def _compiled(self, files: Mapping[str, Path], folder: Path) -> Any:
        assert self.lab.declaration.p4 is not None
        self.lab.stage(files, folder / "compiled")
        return _without_places(json.loads(compile_program(folder / "compiled", self.lab.declaration.p4).read_bytes()))


class _FailedError(Exception):
    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def _stop(result: CheckResult) -> None:
    if result.state == FAILED:
        raise _FailedError(result.message)


def _without_places(compiled: Any) -> Any:
    """A compiled program without what says where in the source it comes from."""
    if isinstance(compiled, dict):
        return {key: _without_places(value) for key, value in compiled.items() if key not in ("source_info", "program")}
    if isinstance(compiled, list):
        return [_without_places(one) for one in compiled]
    return compiled
