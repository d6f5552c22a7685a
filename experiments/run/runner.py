"""Measures all cells that have no result yet, network by network, and shows how far it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from experiments.metrics import measure
from experiments.report.definition import ReportDefinition
from experiments.run.attempts import RepetitionTime, measure_cell
from experiments.run.cell import Cell
from experiments.run.experiment import Experiment
from experiments.run.fidelity import FidelityVerdict
from experiments.run.measure import CellRun
from experiments.run.network import RunningNetwork
from experiments.run.outcome import RunData
from experiments.run.provenance import project_commit
from experiments.run.record import LEFT_OUT, CellRecord
from experiments.run.schemes import check_schemes, p4_source_of, schemes_of
from experiments.run.store import ResultStore
from experiments.run.values import facts, standard_values
from hosts.cca.scheme_names import Scheme
from protocol.errors import UserError
from scenario.scenario import Scenario
from topo.layout import plan_network
from topo.network_plan import NetworkPlan
from topo.preflight import check_all
from topo.testbed import Testbed, TestbedOptions
from topo.toolchain import SOURCE, Toolchain

OVERHEAD_S = 0.8
"""Of every cell, for the time left: setting links, starting, letting the queues run empty, reading samples."""

NETWORK_S = 4.0
"""Bringing a network up and taking it down."""

MAX_FAILURES_IN_A_ROW = 3


@dataclass(frozen=True)
class RunOptions:
    """How cells are measured.

    Args:
        toolchain: whose compiler and switch.
        grpc_base_port: P4Runtime port of the first switch; the others follow.
        console: where progress is shown.
        keep_samples: leave the raw samples of every cell.
        repetition_time: for rejected runs of all cells together; None: no limit.
    """

    toolchain: Toolchain
    grpc_base_port: int
    console: Console
    keep_samples: bool = False
    repetition_time: RepetitionTime = field(default_factory=RepetitionTime)


def network_key(scenario: Scenario, plan: NetworkPlan, p4_source: Path = SOURCE) -> str:
    """Equal for scenarios that can be measured on one running network: links may differ in all but their rates, of which the controller
    is told when it starts."""
    shape = replace(plan, seed=0, switches={}, hosts={})
    rates = [(*ends, plan.direction(*ends).rate_bps) for ends in plan.directions()]
    described = json.dumps([repr(shape), list(plan.hosts), rates, sorted(scenario.without), str(p4_source)])
    return hashlib.sha256(described.encode()).hexdigest()[:12]


def labels_of(scenarios: Sequence[Scenario], plan: NetworkPlan) -> dict[str, str]:
    """Names of transmissions for the controller, by addresses; several of one pair of hosts share the key."""
    found: dict[str, dict[str, None]] = {}
    for scenario in scenarios:
        for t in scenario.transmissions:
            for interface in plan.interfaces(t.sender):
                found.setdefault(f"{interface.ip}>{plan.hosts[t.receiver].ip}", {})[t.name] = None
    return {pair: "/".join(names) for pair, names in found.items()}


def check_can_run(scenarios: Sequence[Scenario], toolchain: Toolchain, grpc_base_port: int) -> None:
    """Check everything that scenarios' testbeds need, before anything is made.

    Raises:
        UserError: the first thing that is missing.
    """
    switches = max((len(plan_network(scenario, grpc_base_port).switches) for scenario in scenarios), default=0)
    needs_bpf = True in {check_schemes(schemes_of(scenario)) for scenario in scenarios}
    check_all(toolchain, range(grpc_base_port, grpc_base_port + switches), needs_bpf=needs_bpf)


class Runner:
    """Runs cells that have no result yet.

    Args:
        store: where results are, and go.
        options: how.
    """

    def __init__(self, store: ResultStore, options: RunOptions) -> None:
        self._store = store
        self._options = options
        self._console = options.console
        self._commit = project_commit()
        self._failures_in_a_row = 0
        self._told_missing: set[str] = set()
        self._definitions: dict[str, ReportDefinition] = {}

    def run(self, experiments: Sequence[Experiment]) -> None:
        """Measure what is missing.

        Raises:
            UserError: a network did not start, or one cell after the other failed.
        """
        self._definitions = {experiment.name: experiment.definition for experiment in experiments}
        cells = [cell for experiment in experiments for cell in experiment.cells()]
        todo = [cell for cell in cells if not self._store.is_done(cell)]
        if len(todo) < len(cells):
            self._console.print(f"{len(cells) - len(todo)} of {len(cells)} cells are measured already; FRESH=1 measures them anew")
        networks: dict[str, list[Cell]] = {}
        for cell in todo:
            plan = plan_network(cell.scenario, self._options.grpc_base_port)
            key = network_key(cell.scenario, plan, p4_source_of(_needed(cell)))
            networks.setdefault(key, []).append(cell)
        columns = (
            TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn(),
        )  # fmt: skip
        with Progress(*columns, console=self._console, speed_estimate_period=300) as progress:
            task = progress.add_task("", total=sum(_expected_s(cell) for cell in todo) + NETWORK_S * len(networks))
            for key, waiting in networks.items():
                self._run_on_network(key, waiting, progress, task)

    def _run_on_network(self, key: str, waiting: list[Cell], progress: Progress, task: TaskID) -> None:
        while waiting:
            progress.update(task, description="starting the network")
            with RunningNetwork(self._testbed(key, waiting)) as network:
                progress.advance(task, NETWORK_S)
                missing = self._missing_schemes(network, waiting)
                while waiting and not network.is_broken:
                    cell = waiting.pop(0)
                    absent = next((missing[scheme.text] for scheme in _needed(cell) if scheme.text in missing), None)
                    done_s = progress.tasks[task].completed
                    if absent is not None:
                        self._store.save(CellRecord.of(cell, failure=LEFT_OUT + absent, commit=self._commit))
                    else:
                        self._measure(network, cell, progress, task)
                    progress.update(task, completed=done_s + _expected_s(cell))
            if waiting:
                progress.advance(task, -NETWORK_S)

    def _missing_schemes(self, network: RunningNetwork, cells: Sequence[Cell]) -> dict[str, str]:
        """Schemes of the cells that this machine cannot have, with the reasons; each is said once."""
        wanted = {scheme.text: scheme for cell in cells for scheme in _needed(cell)}
        reasons = {text: reason for text, scheme in wanted.items() if (reason := network.why_missing(scheme))}
        for text in reasons.keys() - self._told_missing:
            self._console.print(f"{text} is left out: {reasons[text]}", markup=False, highlight=False)
        self._told_missing |= reasons.keys()
        return {text: reason.splitlines()[0] for text, reason in reasons.items()}

    def _measure(self, network: RunningNetwork, cell: Cell, progress: Progress, task: TaskID) -> None:
        progress.update(task, description=str(cell))
        begin = progress.tasks[task].completed

        def show(elapsed_s: float) -> None:
            progress.update(task, completed=begin + min(max(0.0, elapsed_s), cell.scenario.run.duration_s))

        def tell(verdict: FidelityVerdict, again: bool) -> None:
            self._console.print(f"{cell}: {verdict}{'; the run is repeated' if again else ''}", highlight=False)

        try:
            record = measure_cell(
                cell,
                lambda one, folder: CellRun(network, one, folder, show).carry_out(),
                lambda run: self._worked_up(cell, run),
                self._store.scratch,
                commit=self._commit,
                repetition_time=self._options.repetition_time,
                keep_samples=self._options.keep_samples,
                on_rejection=tell,
            )
        except UserError as error:
            # What a part of the testbed left undone, the next cell would meet.
            network.is_broken = True
            record = CellRecord.of(cell, failure=str(error), commit=self._commit)
            self._failures_in_a_row += 1
            if self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
                self._store.save(record)
                raise
        else:
            self._failures_in_a_row = 0
        if record.failure:
            self._console.print(f"{cell}: no result: {record.failure}", highlight=False)
        self._store.save(record)

    def _worked_up(self, cell: Cell, run: RunData) -> CellRecord:
        values, series = measure(run, self._definitions[cell.experiment], cell.parameters)
        return CellRecord.of(cell, values=standard_values(run) | values, series=series, facts=facts(run))

    def _testbed(self, key: str, cells: Sequence[Cell]) -> Testbed:
        folder = self._store.folder / "logs" / key
        folder.mkdir(parents=True, exist_ok=True)
        scenario = cells[0].scenario
        plan = plan_network(scenario, self._options.grpc_base_port)
        schemes = {scheme.text: scheme for cell in cells for scheme in _needed(cell)}
        options: Mapping[str, Any] = {
            "folder": folder,
            "labels": labels_of([cell.scenario for cell in cells], plan),
            "congestion_controls": tuple(text for text, scheme in schemes.items() if not scheme.from_kernel),
            "variant": scenario.variant,
            "toolchain": self._options.toolchain,
            "p4_source": p4_source_of(_needed(cells[0])),
        }
        return Testbed(plan, TestbedOptions(**options))


def _needed(cell: Cell) -> list[Scheme]:
    """The cell's scheme, and those that transmissions have of their own."""
    return [scheme for scheme in schemes_of(cell.scenario) if scheme.text not in cell.scenario.run.schemes or scheme.text == cell.scheme]


def _expected_s(cell: Cell) -> float:
    return cell.scenario.run.duration_s + OVERHEAD_S


def results_folder(results: Path, name: str, toolchain: Toolchain, *, quick: bool = False) -> Path:
    """Where the results of a paper are; a quick look keeps its own, since it measures shorter, and so does every toolchain."""
    parts = [name, "quick" if quick else "", "p4c" if toolchain.p4c else "", "bmv2" if toolchain.bmv2 else ""]
    return results / "reproduce" / "-".join(part for part in parts if part)
