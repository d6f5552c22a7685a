"""Measures cells on this machine's own kernel, network by network, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.metrics import measure
from experiments.report.definition import ReportDefinition
from experiments.run.attempts import measure_cell
from experiments.run.bring_up import key_of, make_testbed, needed_schemes
from experiments.run.cell import Cell
from experiments.run.fidelity import FidelityVerdict
from experiments.run.measure import CellRun
from experiments.run.network import RunningNetwork
from experiments.run.options import RunOptions
from experiments.run.outcome import RunData
from experiments.run.progress import CellProgress
from experiments.run.provenance import project_commit
from experiments.run.record import LEFT_OUT, CellRecord
from experiments.run.store import ResultStore
from experiments.run.values import facts, standard_values
from protocol.errors import UserError

NETWORK_S = 4.0
"""Bringing a network up and taking it down."""

MAX_FAILURES_IN_A_ROW = 3


class RealTimeRuns:
    """Measures cells; each result is kept as soon as it is there.

    Args:
        store: where results go.
        options: how.
        definitions: what is measured, by the experiment's name.
        progress: shows how far it is.
    """

    def __init__(
        self,
        store: ResultStore,
        options: RunOptions,
        definitions: Mapping[str, ReportDefinition],
        progress: type[CellProgress] = CellProgress,
    ) -> None:
        self._store = store
        self._options = options
        self._console = options.console
        self._definitions = definitions
        self._progress = progress
        self._commit = project_commit()
        self._failures_in_a_row = 0
        self._told_missing: set[str] = set()

    def run(self, cells: Sequence[Cell]) -> None:
        """Measure them.

        Raises:
            UserError: a network did not start, or one cell after the other failed.
        """
        networks: dict[str, list[Cell]] = {}
        for cell in cells:
            networks.setdefault(key_of(cell, self._options.grpc_base_port, self._options.programs), []).append(cell)
        with self._progress(cells, self._console, NETWORK_S * len(networks)) as progress:
            for key, waiting in networks.items():
                self._run_on_network(key, waiting, progress)

    def _run_on_network(self, key: str, waiting: list[Cell], progress: CellProgress) -> None:
        folder = self._store.folder / "logs" / key
        while waiting:
            progress.say("starting the network")
            options = self._options
            testbed = make_testbed(waiting, folder, options.toolchain, options.grpc_base_port, options.programs)
            with RunningNetwork(testbed) as network:
                progress.spend(NETWORK_S)
                missing = self._missing_schemes(network, waiting)
                while waiting and not network.is_broken:
                    cell = waiting.pop(0)
                    absent = next((missing[scheme.text] for scheme in needed_schemes(cell) if scheme.text in missing), None)
                    if absent is not None:
                        self._store.save(CellRecord.of(cell, failure=LEFT_OUT + absent, commit=self._commit))
                    else:
                        self._measure(network, cell, progress)
                    progress.finish(cell)
            if waiting:
                progress.spend(-NETWORK_S)

    def _missing_schemes(self, network: RunningNetwork, cells: Sequence[Cell]) -> dict[str, str]:
        """Schemes of the cells that this machine cannot have, with the reasons; each is said once."""
        wanted = {scheme.text: scheme for cell in cells for scheme in needed_schemes(cell)}
        reasons = {text: reason for text, scheme in wanted.items() if (reason := network.why_missing(scheme))}
        for text in reasons.keys() - self._told_missing:
            self._console.print(f"{text} is left out: {reasons[text]}", markup=False, highlight=False)
        self._told_missing |= reasons.keys()
        return {text: reason.splitlines()[0] for text, reason in reasons.items()}

    def _measure(self, network: RunningNetwork, cell: Cell, progress: CellProgress) -> None:
        def tell(verdict: FidelityVerdict, again: bool) -> None:
            self._console.print(f"{cell}: {verdict}{'; the run is repeated' if again else ''}", highlight=False)

        progress.at(cell, 0.0)
        try:
            record = measure_cell(
                cell,
                lambda one, folder: CellRun(network, one, folder, lambda elapsed_s: progress.at(cell, elapsed_s)).carry_out(),
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
