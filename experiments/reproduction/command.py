"""What ``make reproduce`` does: measure what is missing of a paper, then write its report."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from rich.console import Console

from experiments.reproduction.attempts import RepetitionTime
from experiments.reproduction.experiment import Effort, Experiment, Paper
from experiments.reproduction.report import write_report
from experiments.reproduction.runner import Runner, folder_of, plan_jobs
from experiments.reproduction.store import ResultStore
from hosts.cca import sources
from protocol.errors import UserError
from topo.preflight import check_all
from topo.toolchain import Toolchain

PAPERS = {"nodectl": "experiments.nodectl_paper.paper"}
"""Modules with a ``PAPER``, by the name that ``PAPER=`` takes."""

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
    keep_samples: bool = False
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


def find_paper(name: str) -> Paper:
    """A paper by its name.

    Raises:
        UserError: there is none of that name.
    """
    if name not in PAPERS:
        raise UserError(f"PAPER={name} is not known", f"PAPER is one of: {', '.join(PAPERS)}")
    paper = import_module(PAPERS[name]).PAPER
    if not isinstance(paper, Paper):
        raise TypeError(f"{PAPERS[name]}.PAPER is not a Paper")
    return paper


def chosen(paper: Paper, only: tuple[str, ...]) -> list[Experiment]:
    """The experiments that ``ONLY=`` names, in the paper's order; all if it names none.

    Raises:
        UserError: one of them does not exist.
    """
    known = [experiment.name for experiment in paper.experiments]
    for name in only:
        if name not in known:
            raise UserError(f"ONLY={name}: {paper.name} has no such experiment", f"it has: {', '.join(known)}")
    return [experiment for experiment in paper.experiments if not only or experiment.name in only]


def reproduce_paper(
    request: Request, results: Path, *, toolchain: Toolchain, grpc_base_port: int, console: Console
) -> tuple[bool, tuple[Path, Path]]:
    """Measure and report; returns whether every cell has a result, and the report's files.

    Raises:
        UserError: something is missing that a run needs, or the request names what does not exist.
    """
    paper = find_paper(request.paper)
    experiments = chosen(paper, request.only)
    store = ResultStore(folder_of(results, paper.name, quick=request.quick, toolchain=toolchain))
    jobs = plan_jobs(experiments, request.effort)
    if not request.report_only:
        ours = set(sources.available())
        switches = max((len(job.spec.build(grpc_base_port).switches) for job in {j.spec.key: j for j in jobs}.values()), default=0)
        check_all(toolchain, range(grpc_base_port, grpc_base_port + switches), needs_bpf=any(ours & set(job.spec.schemes) for job in jobs))
        if request.fresh:
            store.forget(job.cell for job in jobs)
        Runner(
            store,
            toolchain=toolchain,
            grpc_base_port=grpc_base_port,
            console=console,
            keep_samples=request.keep_samples,
            repetition_time=RepetitionTime(QUICK_REPETITION_TIME_S if request.quick else None),
        ).run(jobs)
        if not request.keep_samples:
            shutil.rmtree(store.folder / "scratch", ignore_errors=True)
    files = write_report(paper, experiments, store, request.effort, request.command)
    return all(store.is_done(job.cell) for job in jobs), files
