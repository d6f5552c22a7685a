"""Measures cells on the kernel that this process runs on, network by network: the machine's, or one of virtual time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.errors import UserError
from engine.collect.fidelity import FidelityVerdict
from engine.collect.provenance import project_commit
from engine.collect.record import CellRecord
from engine.collect.run_data import RunData
from engine.collect.store import ResultStore
from engine.collect.values import facts, program_ends, standard_values
from engine.execute.attempts import measure_cell
from engine.execute.bring_up import make_testbed
from engine.execute.measure import CellRun
from engine.execute.network import RunningNetwork
from engine.execute.program_run import ProgramRun
from engine.execute.progress import CellProgress
from engine.execute.record_keeper import RecordKeeper
from engine.metrics import measure
from engine.metrics.measurements import Measurements
from engine.plan.cell import Cell
from engine.plan.network_key import key_of
from engine.plan.options import RunOptions
from engine.plan.schemes import needed_schemes
from engine.plan.task import Task

NETWORK_S = 4.0
"""Bringing a network up and taking it down."""


class RunsOnThisKernel:
    """Measures cells; each result is kept as soon as it is there.

    Args:
        store: where results go.
        options: switches, programs and settings of the person's request.
        measurements: those of each experiment, by its name.
        progress: shows how far it is.
    """

    def __init__(
        self,
        store: ResultStore,
        options: RunOptions,
        measurements: Mapping[str, Measurements],
        progress: type[CellProgress] = CellProgress,
    ) -> None:
        self._store = store
        self._options = options
        self._console = options.console
        self._measurements = measurements
        self._progress = progress
        self._commit = project_commit()
        self._records = RecordKeeper(options.console, self._commit)

    def run(self, cells: Sequence[Cell]) -> None:
        """Measure them.

        Raises:
            UserError: a network did not start, or one cell after the other failed.
        """
        networks: dict[str, list[Task]] = {}
        for cell in cells:
            task = Task(cell, self._measurements[cell.experiment], self._store)
            networks.setdefault(key_of(cell, self._options), []).append(task)
        with self._progress(cells, self._console, NETWORK_S * len(networks)) as progress:
            for key, waiting in networks.items():
                self._run_on_network(key, waiting, progress)

    def _run_on_network(self, key: str, waiting: list[Task], progress: CellProgress) -> None:
        folder = self._store.folder / "logs" / key
        while waiting:
            progress.say("starting the network")
            options, cells = self._options, [task.cell for task in waiting]
            testbed = make_testbed(cells, folder, options)
            with RunningNetwork(testbed) as network:
                progress.spend(NETWORK_S)
                waiting[:] = self._records.possible(waiting, _missing_schemes(network, cells), lambda task: progress.finish(task.cell))
                while waiting and not network.is_broken:
                    task = waiting.pop(0)
                    self._measure(network, task, progress)
                    progress.finish(task.cell)
            if waiting:
                progress.spend(-NETWORK_S)

    def _measure(self, network: RunningNetwork, task: Task, progress: CellProgress) -> None:
        cell = task.cell

        def tell(verdict: FidelityVerdict, again: bool) -> None:
            self._console.print(f"{cell}: {verdict}{'; the run is repeated' if again else ''}", highlight=False)

        engine = _engine(cell)
        progress.at(cell, 0.0)
        try:
            record = measure_cell(
                cell,
                lambda one, folder: engine(network, one, folder, lambda elapsed_s: progress.at(cell, elapsed_s)).carry_out(),
                lambda run: _worked_up(task, run),
                task.store.scratch,
                commit=self._commit,
                repetition_time=self._options.repetition_time,
                keep_samples=self._options.request.keep_samples,
                on_rejection=tell,
            )
        except UserError as error:
            # The next cell would suffer from work that a part of the testbed left undone.
            network.is_broken = True
            self._records.failed(task, error)
        else:
            self._records.measured(task, record)


def _engine(cell: Cell) -> type[CellRun] | type[ProgramRun]:
    return ProgramRun if cell.scenario.programs else CellRun


def _worked_up(task: Task, run: RunData) -> CellRecord:
    values, series = measure(run, task.measurements, task.cell.parameters, is_first=task.cell.repetition == 1)
    return CellRecord.of(
        task.cell, values=standard_values(run) | values, series=series, facts=facts(run), programs=program_ends(run), failure=run.failure
    )


def _missing_schemes(network: RunningNetwork, cells: Sequence[Cell]) -> dict[str, str]:
    """Schemes of the cells that this machine cannot have, with the reasons."""
    wanted = {scheme.text: scheme for cell in cells for scheme in needed_schemes(cell)}
    return {text: reason for text, scheme in wanted.items() if (reason := network.why_missing(scheme))}
