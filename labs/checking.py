"""Runs a lab's checks on what is handed in."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from experiments.run.programs import Programs
from labs.catalogue import CHECKS, Files, Lab
from labs.check.answers import Answers
from labs.check.controller_program import ControllerProgram
from labs.check.line_process import StoppedError
from labs.check.measured import Measured, RunSettings, measure
from labs.check.p4_program import compile_program
from labs.check.switch import Switch
from labs.check.vocabulary import Check, Failed, checks_in
from labs.outcome import FAILED, LEFT_OUT, PASSED, CheckOutcome, LabOutcome
from protocol.errors import UserError

SET_UP = "set_up"
DIGITS = 12


@dataclass(frozen=True)
class Request:
    """What is to be checked.

    Args:
        lab: of it.
        files: those that are handed in.
        work: folder for everything that is made.
        runs: how runs are measured; None: they are left out.
        on_outcome: told of each check as it is done.
        kept: folder of runs in which nothing is the student's, for all that are checked; None: in ``work``.
    """

    lab: Lab
    files: Files
    work: Path
    runs: RunSettings | None
    on_outcome: Callable[[CheckOutcome], None] = lambda _outcome: None
    kept: Path | None = None


def check_lab(request: Request) -> LabOutcome:
    """Run all checks.

    Raises:
        UserError: nothing can be checked: a file is missing, or something is not built.
    """
    lab = request.lab
    staged = request.work / "files"
    lab.stage(request.files, staged)
    module = load_checks(lab)
    outcome = LabOutcome(lab=lab.number, title=lab.declaration.title, handed_in=digest_of(request.files))
    with ExitStack() as cleanup:
        kit = _Kit(request, staged, module, cleanup)
        for check in checks_in(module):
            done = _left_out(check, "packet tests come first") if check.is_run and not outcome.has_passed else _carry_out(check, kit)
            outcome.checks.append(done)
            request.on_outcome(done)
    return outcome


def load_checks(lab: Lab) -> ModuleType:
    """The lab's ``checks.py``."""
    spec = importlib.util.spec_from_file_location(f"labs_{lab.number:02}_checks", lab.folder / CHECKS)
    if spec is None or spec.loader is None:
        raise UserError(f"{lab.folder / CHECKS} cannot be read")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def digest_of(files: Files) -> str:
    """Checksum of the files that are handed in; empty if one is missing."""
    if not all(file.is_file() for file in files.values()):
        return ""
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files.values())).hexdigest()[:DIGITS]


class _Kit:
    """What checks are given, made once each."""

    def __init__(self, request: Request, staged: Path, module: ModuleType, cleanup: ExitStack) -> None:
        self._request = request
        self._staged = staged
        self._module = module
        self._cleanup = cleanup
        self._switch: Switch | Failed | None = None
        self._program: ControllerProgram | None = None
        self._measured: dict[str, Measured] = {}

    def switch(self, _check: Check) -> Switch:
        """The student's program, freshly started, with the entries of the lab's ``set_up``."""
        if self._switch is None:
            try:
                self._switch = self._start_switch()
            except Failed as failed:
                self._switch = failed
        if isinstance(self._switch, Failed):
            raise self._switch
        self._switch.reset()
        if hasattr(self._module, SET_UP):
            getattr(self._module, SET_UP)(self._switch)
        return self._switch

    def program(self, _check: Check) -> ControllerProgram:
        """The student's controller."""
        declared = self._request.lab.declaration
        if declared.controller is None:
            raise UserError(f"lab {self._request.lab.number} has checks with a program but no `controller` in its lab.toml")
        if self._program is None:
            self._program = ControllerProgram(self._staged / declared.controller)
            self._cleanup.callback(self._program.close)
        return self._program

    def run(self, check: Check) -> Measured:
        """A measured run with the student's programs."""
        declared = self._request.lab.declaration
        programs = Programs(
            None if declared.p4 is None else self._staged / declared.p4,
            None if declared.controller is None else self._staged / declared.controller,
        )
        return self._measure(check, programs, self._request.work)

    def measured(self, check: Check) -> Measured:
        """The same run for everybody: nothing of it is the student's."""
        scenario = check.options["scenario"]
        if scenario not in self._measured:
            self._measured[scenario] = self._measure(check, Programs(), self._request.kept or self._request.work)
        return self._measured[scenario]

    def answers(self, _check: Check) -> Answers:
        """What the student has measured."""
        declared = self._request.lab.declaration
        if declared.answers is None:
            raise UserError(f"lab {self._request.lab.number} has checks with answers but no `answers` in its lab.toml")
        return Answers.read(self._staged / declared.answers)

    def _measure(self, check: Check, programs: Programs, work: Path) -> Measured:
        settings = self._request.runs
        if settings is None:
            raise _LeftOutError("runs were not asked for")
        return measure(self._request.lab.folder / check.options["scenario"], programs, settings, work)

    def _start_switch(self) -> Switch:
        declared = self._request.lab.declaration
        if declared.p4 is None:
            raise UserError(f"lab {self._request.lab.number} has checks with a switch but no `p4` in its lab.toml")
        switch = Switch(compile_program(self._staged, declared.p4), declared.files)
        self._cleanup.callback(switch.close)
        return switch


class _LeftOutError(Exception):
    pass


def _carry_out(check: Check, kit: _Kit) -> CheckOutcome:
    pictures: list[str] = []
    try:
        given: dict[str, Any] = {}
        for name in check.needs:
            given[name] = getattr(kit, name)(check)
            pictures += [str(file) for file in getattr(given[name], "pictures", ())]
        check.function(**given)
    except Failed as failed:
        found = failed
    except StoppedError as error:
        found = Failed(f"the program has ended: {error}")
    except _LeftOutError as reason:
        return _left_out(check, str(reason))
    else:
        return CheckOutcome(name=check.name, title=check.title, state=PASSED, points=check.points, pictures=pictures)
    return CheckOutcome(
        name=check.name,
        title=check.title,
        state=FAILED,
        points=check.points,
        message=found.message,
        details=found.details,
        trace=found.trace,
        pictures=pictures,
    )


def _left_out(check: Check, reason: str) -> CheckOutcome:
    return CheckOutcome(name=check.name, title=check.title, state=LEFT_OUT, points=check.points, message=reason)
