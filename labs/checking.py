"""Runs a lab's checks on the files that are handed in."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from common.errors import UserError
from engine.plan.options import RunOptions
from hosts.cca.sources import SOURCE_SUFFIX
from labs.catalogue import CHECKS, README, Files, Lab
from labs.check.answers import Answers
from labs.check.computed import with_computed
from labs.check.contest import HIDDEN, OPEN, Contest
from labs.check.controller_program import ControllerProgram
from labs.check.line_process import StoppedError
from labs.check.measured import Measured, measure
from labs.check.own_experiment import OwnExperiment
from labs.check.p4_program import compile_program
from labs.check.student_programs import StudentPrograms
from labs.check.switch import Switch
from labs.check.vocabulary import Check, Failed, checks_in
from labs.check.window_program import WindowProgram
from labs.lab_result import FAILED, LEFT_OUT, PASSED, CheckResult, LabResult
from topo.toolchain import Toolchain
from virtual_time.scratch import scratch_folder

SET_UP = "set_up"
TRACES = "traces.py"
EXPERIMENT = "figure.toml"
DIGITS = 12
STAGED = "files"
"""The folder below a check's: the files as they were handed in."""


@dataclass(frozen=True)
class Request:
    """The files of a lab to check, and how to check them.

    Args:
        lab: whose files they are.
        files: those that are handed in.
        work: folder for everything that is made.
        runs: how runs are measured; None: they are left out.
        on_result: told of each check as it is done.
        kept: folder of runs in which nothing is the student's, for all that are checked; it may be one that only has to be read
            (``measure_given``). None: in ``work``.
        hidden_seed: of a contest that only the grader knows.
    """

    lab: Lab
    files: Files
    work: Path
    runs: RunOptions | None
    on_result: Callable[[CheckResult], None] = lambda _result: None
    kept: Path | None = None
    hidden_seed: int | None = None


def check_lab(request: Request) -> LabResult:
    """Run all checks.

    Raises:
        UserError: nothing can be checked: a file is missing, or something is not built.
    """
    lab = request.lab
    staged = request.work / STAGED
    lab.stage(request.files, staged)
    module = load_checks(lab)
    result = LabResult(lab=lab.number, title=lab.declaration.title, handed_in=digest_of(request.files))
    with ExitStack() as cleanup:
        kit = _Kit(request, staged, module, cleanup)
        for check in checks_in(module):
            too_early = check.is_run and not result.has_passed
            done = _left_out(check, "it is measured when the checks above have passed") if too_early else _carry_out(check, kit)
            result.checks.append(done)
            request.on_result(done)
    return result


def measure_run(request: Request) -> tuple[Path, StudentPrograms, Measured]:
    """Measure the lab's run with the files that are handed in, whatever its checks say.

    Returns:
        The scenario, the programs that ran instead of the testbed's own, and the results.

    Raises:
        UserError: the lab has no run.
        Failed: there is no result.
    """
    lab, staged = request.lab, request.work / STAGED
    lab.stage(request.files, staged)
    module = load_checks(lab)
    check = next((one for one in checks_in(module) if {"run", "measured"} & set(one.needs)), None)
    if check is None:
        raise UserError(f"lab {lab.number} has no run of its own", f"labs/{lab.name}/{README} says what to run")
    with ExitStack() as cleanup:
        kit = _Kit(request, staged, module, cleanup)
        measured = kit.run(check) if "run" in check.needs else kit.measured(check)
        return lab.folder / check.options["scenario"], kit.programs if "run" in check.needs else StudentPrograms(), measured


def schemes_of(request: Request) -> Path | None:
    """The folder with the congestion controls that are handed in, once they are staged; None: the lab has none."""
    has_schemes = any(name.endswith(SOURCE_SUFFIX) for name in request.lab.declaration.files)
    return request.work / STAGED if has_schemes else None


def measure_given(lab: Lab, options: RunOptions, kept: Path) -> list[Measured]:
    """Measure those runs of a lab in which nothing is a student's, once for all hand-ins that are checked with ``kept``.

    Returns:
        The results: of the scenarios that checks name, then of a contest's rival.

    Raises:
        Failed: there is no result.
    """
    checks = checks_in(load_checks(lab))
    files = [lab.folder / name for name in sorted({check.options["scenario"] for check in checks if "measured" in check.needs})]

    def measured(scenarios: Sequence[Path]) -> list[Measured]:
        return measure(scenarios, StudentPrograms(), options, kept)

    with scratch_folder() as scratch:
        if any("contest" in check.needs for check in checks):
            files += _contest(lab, scratch, measured, measured, {}).rival_scenarios()
        return measured(files) if files else []


def solution_files(lab: Lab, solution: Files, options: RunOptions | None, kept: Path, target: Path) -> Files:
    """The files to hand in of a solution (:attr:`Lab.solution`), or of one that was changed; computed files go to ``target``.

    Raises:
        UserError: a file has to be computed from a run, and there is none, or a program ends with an error.
    """

    def run_folder() -> Path:
        if options is None:
            raise UserError(f"the solution of lab {lab.number} follows from its run", "leave out RUN=no")
        try:
            return measure_given(lab, options, kept)[0].folder
        except Failed as failed:
            raise UserError(f"lab {lab.number}: {failed.message}") from None

    return with_computed(lab, solution, run_folder, target)


def _contest(
    lab: Lab,
    work: Path,
    measure_own: Callable[[Sequence[Path]], Sequence[Measured]],
    measure_given: Callable[[Sequence[Path]], Sequence[Measured]],
    hidden: Mapping[str, int],
) -> Contest:
    traces = load_module(lab, TRACES)
    seeds = {OPEN: int(traces.OPEN_SEED), **hidden}
    return Contest(measure_own, measure_given, traces.write, work / "contest", seeds, str(traces.RIVAL))


def load_checks(lab: Lab) -> ModuleType:
    """The lab's ``checks.py``."""
    return load_module(lab, CHECKS)


def load_module(lab: Lab, name: str) -> ModuleType:
    """A Python file of the lab's folder."""
    file = lab.folder / name
    spec = importlib.util.spec_from_file_location(f"labs_{lab.number:02}_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise UserError(f"{file} cannot be read")
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
    """The objects that checks are given, each made once."""

    def __init__(self, request: Request, staged: Path, module: ModuleType, cleanup: ExitStack) -> None:
        self._request = request
        self._staged = staged
        self._module = module
        self._cleanup = cleanup
        self._switch: Switch | Failed | None = None
        self._program: ControllerProgram | None = None
        self._windows: dict[Path, WindowProgram] = {}
        self._measured: dict[str, Measured] = {}

    def switch(self, _check: Check) -> Switch:
        """The program, freshly started, with the entries of the lab's ``set_up``."""
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
        return self._measure([self._request.lab.folder / check.options["scenario"]], self.programs)[0]

    @property
    def programs(self) -> StudentPrograms:
        """The student's programs that run in the place of the testbed's."""
        declared = self._request.lab.declaration
        return StudentPrograms(
            None if declared.p4 is None else self._staged / declared.p4,
            None if declared.controller is None else self._staged / declared.controller,
        )

    def measured(self, check: Check) -> Measured:
        """The same run for everybody: nothing of it is the student's."""
        scenario = check.options["scenario"]
        if scenario not in self._measured:
            self._measured[scenario] = self._measure_given([self._request.lab.folder / scenario])[0]
        return self._measured[scenario]

    def answers(self, _check: Check) -> Answers:
        """The student's measurements."""
        declared = self._request.lab.declaration
        if declared.answers is None:
            raise UserError(f"lab {self._request.lab.number} has checks with answers but no `answers` in its lab.toml")
        return Answers.read(self._staged / declared.answers)

    def source(self, check: Check) -> str:
        """The text of the student's congestion control, without its comments."""
        text = self._scheme_file(check).read_text(encoding="utf-8", errors="replace")
        return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)

    def windows(self, check: Check) -> WindowProgram:
        """The student's congestion control, driven without packets."""
        file = self._scheme_file(check)
        if file not in self._windows:
            self._windows[file] = WindowProgram(file)
            self._cleanup.callback(self._windows[file].close)
        return self._windows[file]

    def contest(self, _check: Check) -> Contest:
        """The student's congestion control over traces, which the lab's ``traces.py`` makes."""
        hidden = {} if self._request.hidden_seed is None else {HIDDEN: self._request.hidden_seed}
        return _contest(
            self._request.lab, self._request.work, lambda files: self._measure(files, StudentPrograms()), self._measure_given, hidden
        )

    def experiment(self, _check: Check) -> OwnExperiment:
        """The student's experiment."""
        results = self._request.work / f"figure-{digest_of(self._request.files)}"
        return OwnExperiment(self._staged / EXPERIMENT, lambda: self._run_options, results)

    def measured_experiment(self, check: Check) -> OwnExperiment:
        """The same, to be measured."""
        _ = self._run_options
        return self.experiment(check)

    def _scheme_file(self, check: Check) -> Path:
        return self._staged / f"{check.options['scheme']}{SOURCE_SUFFIX}"

    def _measure_given(self, scenarios: Sequence[Path]) -> list[Measured]:
        return measure(scenarios, StudentPrograms(), self._run_options, self._request.kept or self._request.work)

    def _measure(self, scenarios: Sequence[Path], programs: StudentPrograms) -> list[Measured]:
        work = self._request.work
        return measure(scenarios, programs, self._run_options, work, schemes_of(self._request), work)

    @property
    def _run_options(self) -> RunOptions:
        if self._request.runs is None:
            raise _LeftOutError("runs were not asked for")
        return self._request.runs

    def _start_switch(self) -> Switch:
        declared = self._request.lab.declaration
        program = Toolchain().program if declared.p4 is None else compile_program(self._staged, declared.p4)
        if not program.exists():
            raise UserError(f"{program} is not there: the testbed's program is not compiled yet", "run `make setup`")
        switch = Switch(program, declared.files)
        self._cleanup.callback(switch.close)
        return switch


class _LeftOutError(Exception):
    pass


def _carry_out(check: Check, kit: _Kit) -> CheckResult:
    pictures: list[str] = []
    try:
        given: dict[str, Any] = {}
        for name in check.needs:
            given[name] = getattr(kit, name)(check)
            pictures += [str(file) for file in getattr(given[name], "pictures", ())]
        scores = check.function(**given) or {}
    except Failed as failed:
        found = failed
    except StoppedError as error:
        found = Failed(f"the program has ended: {error}")
    except _LeftOutError as reason:
        return _left_out(check, str(reason))
    else:
        return CheckResult(name=check.name, title=check.title, state=PASSED, points=check.points, pictures=pictures, scores=dict(scores))
    return CheckResult(
        name=check.name,
        title=check.title,
        state=FAILED,
        points=check.points,
        message=found.message,
        details=found.details,
        trace=found.trace,
        scores=found.scores,
        pictures=pictures,
    )


def _left_out(check: Check, reason: str) -> CheckResult:
    return CheckResult(name=check.name, title=check.title, state=LEFT_OUT, points=check.points, message=reason)
