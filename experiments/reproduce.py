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
from scenario.file import Size

REPETITIONS = 3
QUICK_REPETITIONS = 1
QUICK_REPETITION_TIME_S = 75.0
"""For repeating rejected runs of a quick look, so that it stays one; cells that are left without a result then are measured by the same
command, given again."""
HOW_ASKED = {Size.QUICK: "QUICK=1", Size.NORMAL: "neither QUICK=1 nor FULL=1", Size.FULL: "FULL=1"}


@dataclass(frozen=True)
class Request:
    """What the user asked for; ``repetitions`` 0 means as many as the files say, or the usual number."""

    paper: str
    only: tuple[str, ...] = ()
    size: Size = Size.NORMAL
    repetitions: int = 0
    fresh: bool = False
    report_only: bool = False

    @property
    def effort(self) -> Effort:
        """How much is measured."""
        usual = QUICK_REPETITIONS if self.size is Size.QUICK else REPETITIONS
        return Effort(self.size, self.repetitions or None, usual_repetitions=usual)

    @property
    def command(self) -> str:
        """The command that asks for the same."""
        words = ["make reproduce", f"PAPER={self.paper}"]
        words += [f"ONLY={','.join(self.only)}"] if self.only else []
        words += [] if self.size is Size.NORMAL else [f"{self.size.upper()}=1"]
        words += [f"REPETITIONS={self.repetitions}"] if self.repetitions else []
        return " ".join(words)


def chosen(paper: Paper, only: tuple[str, ...], effort: Effort) -> list[Experiment]:
    """The experiments of this size that ``ONLY=`` names, in the paper's order; all if it names none.

    Raises:
        UserError: one of them does not exist, or not in this size.
    """
    known = [file.stem for file in paper.experiment_files]
    for name in only:
        if name not in known:
            raise UserError(f"ONLY={name}: {paper.name} has no such experiment", f"it has: {', '.join(known)}")
    wanted = [Experiment.read(file, effort) for file in paper.experiment_files if not only or file.stem in only]
    found = [experiment for experiment in wanted if effort.size in experiment.file.sizes]
    absent = [experiment for experiment in wanted if effort.size not in experiment.file.sizes]
    if absent and (only or not found):
        raise UserError(
            f"{', '.join(one.name for one in absent)} of {paper.name}: not part of the {effort.size} report",
            f"its `sizes` are: {', '.join(absent[0].file.sizes)} ({'; '.join(HOW_ASKED[size] for size in absent[0].file.sizes)})",
        )
    return found


def reproduce_paper(request: Request, results: Path, options: RunOptions) -> tuple[bool, tuple[Path, Path]]:
    """Measure and report; returns whether every cell has a result, and the report's files.

    Raises:
        UserError: something is missing that a run needs, or the request names what does not exist.
    """
    paper = read_paper(request.paper)
    experiments = chosen(paper, request.only, request.effort)
    toolchain = options.toolchain
    store = ResultStore(results_folder(results, paper.name, toolchain, request.size, virtual=options.virtual))
    cells = [cell for experiment in experiments for cell in experiment.cells()]
    if not request.report_only:
        scenarios = [scenario for experiment in experiments for _, scenario in experiment.scenarios]
        check_can_run(scenarios, toolchain, options.grpc_base_port, virtual=options.virtual)
        if request.fresh:
            store.forget(cells)
        repetition_time = RepetitionTime(QUICK_REPETITION_TIME_S if request.size is Size.QUICK else None)
        Runner(store, replace(options, repetition_time=repetition_time)).run(experiments)
        if not options.keep_samples:
            shutil.rmtree(store.folder / "scratch", ignore_errors=True)
    files = write_report(paper, experiments, store, request.command)
    return all(store.is_done(cell) for cell in cells), files
