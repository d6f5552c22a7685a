"""``make reproduce``: measure the missing cells of a paper or of all papers, then write the reports."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from common.errors import UserError
from common.installation import KEPT_REPORTS
from engine.collect.kept_records import KeptRecords
from engine.collect.store import ResultStore
from engine.execute.bring_up import check_can_run
from engine.execute.runner import REPRODUCE, Batch, measure_missing, results_folder
from engine.execute.time_choice import check_kernels
from engine.plan.budget import Budget, Work, real_budget, virtual_budget
from engine.plan.cell import Cell
from engine.plan.experiment import Effort
from engine.plan.options import RunOptions
from engine.plan.repetition_time import RepetitionTime
from reports.claims.claims_table import claims_table
from reports.document.blocks import Table
from reports.experiment import ReportedExperiment
from reports.kernels_report import write_kernels_report
from reports.overview import Measured, write_overview
from reports.paper import Paper, paper_names, published_papers, read_paper
from reports.repeated_cell import repeat_cell
from reports.report import results_of, write_report
from scenario.run_request import RunRequest, Size

ALL = "all"
"""The value of ``PAPER=`` for all published papers."""

OVERVIEW = "overview"
SOME_RECORDS = 50
"""So many records of each folder tell the cost of a packet where a paper has no results of its own yet."""

REPETITIONS = 3
QUICK_REPETITIONS = 1
QUICK_REPETITION_TIME_S = 75.0
"""A quick look begins no more repetitions of rejected runs after so long, over all its cells. So it stays quick; the same command, given
again, measures the cells that have no result then."""
HOW_ASKED = {Size.QUICK: "QUICK=1", Size.NORMAL: "neither QUICK=1 nor FULL=1", Size.FULL: "FULL=1"}


def effort_of(request: RunRequest, *, virtual: bool) -> Effort:
    """How much is measured, in virtual or real time, on one kernel."""
    usual = QUICK_REPETITIONS if request.size is Size.QUICK else REPETITIONS
    return Effort.of(replace(request, kernels=""), virtual=virtual, usual_repetitions=usual)


def command_of(request: RunRequest, *, virtual: bool) -> str:
    """The command that asks for the same, in virtual or real time."""
    words = ["make reproduce", f"PAPER={request.paper}"]
    words += [f"ONLY={','.join(request.experiments)}"] if request.experiments else []
    words += [] if request.size is Size.NORMAL else [f"{request.size.upper()}=1"]
    words += [f"REPETITIONS={request.repetitions}"] if request.repetitions else []
    words += [f"KERNEL={request.kernel}"] if request.kernel else []
    words += [f"KERNELS={request.kernels}"] if request.kernels else []
    words += [] if virtual else ["TIME=real"]
    return " ".join(words)


def chosen(paper: Paper, only: tuple[str, ...], effort: Effort) -> list[ReportedExperiment]:
    """The experiments of this size that ``ONLY=`` names, in the paper's order; all if it names none.

    Raises:
        UserError: one of them does not exist, or not in this size.
    """
    known = [file.stem for file in paper.experiment_files]
    for name in only:
        if name not in known:
            raise UserError(f"ONLY={name}: {paper.name} has no such experiment", f"it has: {', '.join(known)}")
    wanted = [ReportedExperiment.read(file, effort) for file in paper.experiment_files if not only or file.stem in only]
    found = [experiment for experiment in wanted if effort.size in experiment.file.sizes]
    absent = [experiment for experiment in wanted if effort.size not in experiment.file.sizes]
    if absent and (only or not found):
        raise UserError(
            f"{', '.join(one.name for one in absent)} of {paper.name}: not part of the {effort.size} report",
            f"its `sizes` are: {', '.join(absent[0].file.sizes)} ({'; '.join(HOW_ASKED[size] for size in absent[0].file.sizes)})",
        )
    return found


@dataclass(frozen=True)
class Reproduced:
    """The outcome of ``make reproduce``.

    Args:
        complete: whether every cell has a result.
        files: the reports.
        measured: the results of all papers, or of one that has maps.
    """

    complete: bool
    files: list[Path]
    measured: list[Measured] = field(default_factory=list)


def reproduce(request: RunRequest, results: Path, options: RunOptions) -> Reproduced:
    """Measure the missing cells of a paper, or of all papers, and write the reports; on several kernels, one after the other, and compare.

    Raises:
        UserError: as :func:`reproduce_on_one_kernel` does.
    """
    if request.cell:
        return _repeat(request, results, options)
    if not request.kernels:
        return reproduce_on_one_kernel(request, results, options)
    if request.paper == ALL or request.reports:
        raise UserError("KERNELS= compares one paper's results", "PAPER=NAME KERNELS=6.12,7.3, without REPORTS=")
    of_each = {kernel: replace(request, kernels="", kernel=kernel) for kernel in request.hosts_kernels}
    done = [reproduce_on_one_kernel(one, results, options) for one in of_each.values()]
    paper, effort = read_paper(request.paper), effort_of(request, virtual=options.virtual)
    experiments = chosen(paper, request.experiments, effort)
    measured = {kernel: results_of(experiments, ResultStore(_folder(results, paper.name, one, options))) for kernel, one in of_each.items()}
    folder = _folder(results, f"{paper.name}-kernels", request, options)
    files = write_kernels_report(paper, experiments, measured, command_of(request, virtual=options.virtual), folder)
    return Reproduced(all(one.complete for one in done), [*(file for one in done for file in one.files), *files])


def _repeat(request: RunRequest, results: Path, options: RunOptions) -> Reproduced:
    if request.paper == ALL or request.kernels:
        raise UserError("CELL= is one cell of one paper", f"PAPER is one of: {', '.join(paper_names())}; without KERNELS=")
    paper = read_paper(request.paper)
    experiments = chosen(paper, request.experiments, effort_of(request, virtual=options.virtual))
    store = ResultStore(_folder(results, paper.name, request, options))
    complete, files = repeat_cell(request, experiments, store, KEPT_REPORTS / store.folder.name, options)
    return Reproduced(complete, files)


def reproduce_on_one_kernel(request: RunRequest, results: Path, options: RunOptions) -> Reproduced:
    """Measure the missing cells of a paper, or of all papers, and write the reports.

    Reports go to ``request.reports`` to be kept, and the records with them; cells that have such a
    record are not measured again, unless ``request.fresh``.

    Args:
        request: names papers, experiments and size.
        results: the folder of all results.
        options: how to measure.

    Raises:
        UserError: something is missing that a run needs, or the request names a paper or experiment that does not exist.
    """
    of_all, reports = request.paper == ALL, request.reports
    if of_all and request.only:
        raise UserError(
            "ONLY= names experiments of one paper, and PAPER=all is all of them", f"PAPER is one of: {', '.join(paper_names())}"
        )
    papers = published_papers() if of_all else [read_paper(request.paper)]
    effort = effort_of(request, virtual=options.virtual)
    experiments = {paper.name: chosen(paper, request.experiments, effort) for paper in papers}
    batches = {name: Batch(ResultStore(_folder(results, name, request, options)), listed) for name, listed in experiments.items()}
    if reports and not request.fresh:
        _bring_kept(list(batches.values()), reports, options)
    try:
        if not request.report_only:
            _measure(list(batches.values()), request, results, options)
    finally:
        if reports:
            for batch in batches.values():
                KeptRecords(reports / batch.store.folder.name).keep(batch.store, batch.cells())
    files: list[Path] = []
    for paper in papers:
        batch = batches[paper.name]
        kept = reports and reports / batch.store.folder.name
        if not of_all or any(batch.store.file(cell).exists() for cell in batch.cells()):
            command = command_of(replace(request, paper=paper.name), virtual=options.virtual)
            files += write_report(paper, experiments[paper.name], batch.store, command, kept)
    measured = [
        Measured(paper, listed, results_of(listed, store), store.folder.name)
        for paper, listed, store in ((one, experiments[one.name], batches[one.name].store) for one in papers if of_all or one.has_maps)
    ]
    if of_all:
        stem = _folder(results, OVERVIEW, request, options)
        files += write_overview(
            measured, reports / stem.name if reports else stem, command_of(request, virtual=options.virtual), kept=reports is not None
        )
    return Reproduced(all(not batch.missing() for batch in batches.values()), files, measured)


def claims(reports: Path, before: Path) -> Table:
    """Every claim of every paper: its verdict in a report, and its verdict by today's rules on kept records.

    Args:
        reports: folder of the reports with whose records claims are judged.
        before: folder of the reports whose verdicts stand beside.

    Raises:
        UserError: a file is damaged, or a rule cannot be tried.
    """
    request, measured, texts = RunRequest(paper=ALL, report_only=True), [], {}
    with TemporaryDirectory() as scratch:
        for paper in published_papers():
            experiments = chosen(paper, (), effort_of(request, virtual=True))
            store = ResultStore(Path(scratch) / paper.name)
            KeptRecords(reports / paper.name).bring_to(store, [cell for one in experiments for cell in one.cells()])
            measured.append(Measured(paper, experiments, results_of(experiments, store), paper.name))
            report = before / paper.name / "report.md"
            texts[paper.name] = report.read_text(encoding="utf-8") if report.exists() else ""
    return claims_table(measured, texts)


def _bring_kept(batches: Sequence[Batch], reports: Path, options: RunOptions) -> None:
    brought = sum(KeptRecords(reports / batch.store.folder.name).bring_to(batch.store, batch.cells()) for batch in batches)
    if brought:
        options.console.print(f"{brought} cells are taken from the records in {reports}; FRESH=1 measures them anew", highlight=False)


def _measure(batches: Sequence[Batch], request: RunRequest, results: Path, options: RunOptions) -> None:
    scenarios = [scenario for batch in batches for experiment in batch.experiments for _, scenario in experiment.scenarios]
    check_kernels(scenarios, virtual=options.virtual)
    check_can_run(scenarios, options.toolchain, request.grpc_base_port, virtual=options.virtual)
    if request.fresh:
        for batch in batches:
            batch.store.forget(batch.cells())
    repetition_time = RepetitionTime(QUICK_REPETITION_TIME_S if request.size is Size.QUICK else None)

    def announce(missing: Sequence[Sequence[Cell]]) -> None:
        budget = _budget(missing, batches, results) if options.virtual else real_budget([cell for cells in missing for cell in cells])
        options.console.print(str(budget), highlight=False)

    measure_missing(batches, replace(options, repetition_time=repetition_time), announce)
    if not request.keep_samples:
        for batch in batches:
            shutil.rmtree(batch.store.folder / "scratch", ignore_errors=True)


def _budget(missing: Sequence[Sequence[Cell]], batches: Sequence[Batch], results: Path) -> Budget:
    """The budget by the cost of the same papers' cells; if none was measured, by that of some of any paper and size."""
    works = [Work(cells, batch.store.records(batch.cells()), batch.cells()) for cells, batch in zip(missing, batches, strict=True)]
    others = (record for folder in sorted((results / REPRODUCE).glob("*")) for record in ResultStore(folder).any_records(SOME_RECORDS))
    return virtual_budget(works, len(os.sched_getaffinity(0)), others)


def _folder(results: Path, name: str, request: RunRequest, options: RunOptions) -> Path:
    return results_folder(results, name, options.toolchain, request.size, kernel=request.kernel, virtual=options.virtual)
