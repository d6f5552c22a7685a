"""Measures all cells of a paper that have no result yet, network by network, and shows how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from experiments.reproduction.attempts import RepetitionTime, measure_cell
from experiments.reproduction.cell import Cell, CellRecord
from experiments.reproduction.experiment import Effort, Experiment, NetworkSpec
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.store import ResultStore
from experiments.scenario_run import EMBEDDED_TOOLCHAIN, project_commit
from hosts.cca import sources
from protocol.errors import UserError
from topo.testbed import Testbed, TestbedOptions
from topo.toolchain import Toolchain

OVERHEAD_S = 0.5
"""Of every cell, for the time left: changing links, starting, letting the queues run empty, reading samples."""

NETWORK_S = 4.0
"""Bringing a network up and taking it down."""

MAX_FAILURES_IN_A_ROW = 3


@dataclass(frozen=True)
class Job:
    """A cell with the experiment that knows how to measure it."""

    experiment: Experiment
    cell: Cell
    spec: NetworkSpec

    @property
    def duration_s(self) -> float:
        """Expected duration with everything around it, seconds."""
        return self.experiment.duration_s(self.cell) + OVERHEAD_S


def plan_jobs(experiments: Sequence[Experiment], effort: Effort) -> list[Job]:
    """All cells: network by network, in the order of the experiments; first repetitions before second ones."""
    jobs = [Job(experiment, cell, experiment.network(cell)) for experiment in experiments for cell in experiment.cells(effort)]
    order = {key: position for position, key in enumerate(dict.fromkeys(job.spec.key for job in jobs))}
    return sorted(jobs, key=lambda job: (order[job.spec.key], job.cell.repetition))


class Runner:
    """Runs jobs whose cells have no result yet.

    Args:
        store: where results are, and go.
        grpc_base_port: P4Runtime port of the first switch.
        console: where progress is shown.
        keep_samples: leave the raw samples of every cell in ``scratch``.
        repetition_time: for rejected runs of all cells together; None: no limit.
    """

    def __init__(
        self,
        store: ResultStore,
        *,
        toolchain: Toolchain = EMBEDDED_TOOLCHAIN,
        grpc_base_port: int,
        console: Console,
        keep_samples: bool = False,
        repetition_time: RepetitionTime | None = None,
    ) -> None:
        self._store = store
        self._toolchain = toolchain
        self._grpc_base_port = grpc_base_port
        self._console = console
        self._keep_samples = keep_samples
        self._repetition_time = repetition_time
        self._commit = project_commit()
        self._failures_in_a_row = 0
        self._told_missing: set[str] = set()

    def run(self, jobs: Sequence[Job]) -> None:
        """Measure what is missing.

        Raises:
            UserError: a network did not start, or one cell after the other failed.
        """
        todo = [job for job in jobs if not self._store.is_done(job.cell)]
        networks = list(dict.fromkeys(job.spec.key for job in todo))
        if len(todo) < len(jobs):
            self._console.print(f"{len(jobs) - len(todo)} of {len(jobs)} cells are measured already; FRESH=1 measures them anew")
        if not todo:
            return
        columns = (
            TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn(),
        )  # fmt: skip
        with Progress(*columns, console=self._console, speed_estimate_period=300) as progress:
            task = progress.add_task("", total=sum(job.duration_s for job in todo) + NETWORK_S * len(networks))
            for key in networks:
                self._run_on_network([job for job in todo if job.spec.key == key], progress, task)

    def _run_on_network(self, jobs: Sequence[Job], progress: Progress, task: TaskID) -> None:
        waiting = list(jobs)
        while waiting:
            spec = waiting[0].spec
            progress.update(task, description=f"network {spec.key}")
            try:
                with RunningNetwork(self._testbed(spec)) as network:
                    progress.advance(task, NETWORK_S)
                    missing = self._missing_schemes(network, waiting)
                    while waiting:
                        job = waiting.pop(0)
                        if job.cell.scheme in missing:
                            self._store.save(CellRecord.of(job.cell, failure=f"left out: {missing[job.cell.scheme]}", commit=self._commit))
                        else:
                            self._measure(network, job, progress, task)
                        progress.advance(task, job.duration_s)
            except _BrokenNetworkError:
                progress.advance(task, job.duration_s - NETWORK_S)

    def _missing_schemes(self, network: RunningNetwork, jobs: Sequence[Job]) -> dict[str, str]:
        """Schemes of the jobs that this machine cannot have, with the reasons; each is said once a run."""
        reasons = {scheme: network.why_missing(scheme) for scheme in dict.fromkeys(job.cell.scheme for job in jobs)}
        missing = {scheme: reason.splitlines()[0] for scheme, reason in reasons.items() if reason}
        for scheme in missing.keys() - self._told_missing:
            self._console.print(f"{scheme} is left out: {reasons[scheme]}", markup=False, highlight=False)
        self._told_missing |= missing.keys()
        return missing

    def _measure(self, network: RunningNetwork, job: Job, progress: Progress, task: TaskID) -> None:
        progress.update(task, description=str(job.cell))
        try:
            network.restore_links()
            record = measure_cell(
                job.cell,
                lambda cell, folder: job.experiment.measure(network, cell, folder),
                self._store.scratch,
                commit=self._commit,
                repetition_time=self._repetition_time,
                keep_samples=self._keep_samples,
                on_rejection=lambda measurement: progress.console.print(f"{job.cell}: {measurement.verdict}", highlight=False),
            )
        except UserError as error:
            progress.console.print(f"{job.cell}: {error}", highlight=False)
            self._store.save(CellRecord.of(job.cell, failure=str(error), commit=self._commit))
            self._failures_in_a_row += 1
            if self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
                raise
            raise _BrokenNetworkError from None
        self._failures_in_a_row = 0
        if record.failure:
            progress.console.print(f"{job.cell}: no result: {record.failure}", highlight=False)
        self._store.save(record)

    def _testbed(self, spec: NetworkSpec) -> Testbed:
        folder = self._store.folder / "logs" / "".join(c if c.isalnum() or c in "-_." else "_" for c in spec.key)
        folder.mkdir(parents=True, exist_ok=True)
        ours = set(sources.available())
        options = TestbedOptions(
            folder=folder,
            labels={},
            congestion_controls=tuple(s for s in spec.schemes if s in ours),
            toolchain=self._toolchain,
            **dict(spec.options),
        )
        return Testbed(spec.build(self._grpc_base_port), options)


class _BrokenNetworkError(Exception):
    """A cell could not be measured for want of a working network; the others get a new one."""


def folder_of(results: Path, paper: str, *, quick: bool, toolchain: Toolchain) -> Path:
    """Where a paper's results are; a quick look keeps its own, since it measures shorter, and so does every toolchain."""
    parts = [paper, "quick" if quick else "", "p4c" if toolchain.p4c else "", "bmv2" if toolchain.bmv2 else ""]
    return results / "reproduce" / "-".join(part for part in parts if part)
