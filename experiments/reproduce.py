"""What ``make reproduce`` does: measure what is missing of a paper, then write its report."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from experiments.report.paper import Paper, read_paper
from experiments.report.report import write_report
from experiments.run.attempts import RepetitionTime
from experiments.run.bring_up import check_can_run
from experiments.run.experiment import Effort, Experiment
from experiments.run.options import RunOptions
from experiments.run.runner import Runner, results_folder
from experiments.run.store import ResultStore
from protocol.errors import UserError

REPETITIONS = 3
QUICK_REPETITIONS = 1
QUICK_REPETITION_TIME_S = 75.0
"""For repeating rejected runs of a quick look, so that it stays one; cells that are left without a result then are measured by the same
command, given again."""


@dataclass(frozen=True)
class Request:
    """What the user asked for; ``repetitions`` 0 means the usual number."""

    paper: str
    only: tuple[str, ...] = ()
    quick: bool = False
    repetitions: int = 0
    fresh: bool = False
    report_only: bool = False

    @property
    def effort(self) -> Effort:
        """How much is measured."""
        return Effort(self.quick, self.repetitions or (QUICK_REPETITIONS if self.quick else REPETITIONS))

    @property
    def command(self) -> str:
        """The command that asks for the same."""
        words = ["make reproduce", f"PAPER={self.paper}"]
        words += [f"ONLY={','.join(self.only)}"] if self.only else []
        words += ["QUICK=1"] if self.quick else []
        words += [f"REPETITIONS={self.repetitions}"] if self.repetitions else []
        return " ".join(words)


def chosen(paper: Paper, only: tuple[str, ...], effort: Effort) -> list[Experiment]:
    """The experiments that ``ONLY=`` names, in the paper's order; all if it names none.

    Raises:
        UserError: one of them does not exist.
    """
    known = [file.stem for file in paper.experiment_files]
    for name in only:
        if name not in known:
            raise UserError(f"ONLY={name}: {paper.name} has no such experiment", f"it has: {', '.join(known)}")
    return [Experiment.read(file, effort) for file in paper.experiment_files if not only or file.stem in only]


def reproduce_paper(request: Request, results: Path, options: RunOptions) -> tuple[bool, tuple[Path, Path]]:
    """Measure and report; returns whether every cell has a result, and the report's files.

    Raises:
        UserError: something is missing that a run needs, or the request names what does not exist.
    """
    paper = read_paper(request.paper)
    experiments = chosen(paper, request.only, request.effort)
    toolchain = options.toolchain
    store = ResultStore(results_folder(results, paper.name, toolchain, quick=request.quick, virtual=options.virtual))
    cells = [cell for experiment in experiments for cell in experiment.cells()]
    if not request.report_only:
        scenarios = [scenario for experiment in experiments for _, scenario in experiment.scenarios]
        check_can_run(scenarios, toolchain, options.grpc_base_port, virtual=options.virtual)
        if request.fresh:
            store.forget(cells)
        repetition_time = RepetitionTime(QUICK_REPETITION_TIME_S if request.quick else None)
        Runner(store, replace(options, repetition_time=repetition_time)).run(experiments)
        if not options.keep_samples:
            shutil.rmtree(store.folder / "scratch", ignore_errors=True)
    files = write_report(paper, experiments, store, request.command)
    return all(store.is_done(cell) for cell in cells), files
