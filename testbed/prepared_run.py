"""Requests, prepared and carried out: from what a person asked for to a folder of results. The command line and Python both come here."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from common.errors import UserError
from common.installation import RESULTS
from engine.execute.bring_up import check_can_run, check_ends
from engine.execute.time_choice import check_kernels, uses_virtual_time
from engine.plan.experiment import Effort
from engine.plan.options import RunOptions
from engine.plan.tracing import trace_filter
from reports.experiment import ReportedExperiment
from reports.scenario_run import new_result_folder, run_experiment
from scenario.run_request import RunRequest
from scenario.scenario import Scenario
from testbed.page_beside import page_beside
from testbed.scenario_argument import ScenarioArgument, experiment_of
from topo.preflight import check_commands, check_root


@dataclass(frozen=True)
class Prepared:
    """A request that can be carried out on this machine."""

    request: RunRequest
    experiment: ReportedExperiment
    options: RunOptions

    @property
    def scenarios(self) -> list[Scenario]:
        """One for each point of the grid."""
        return [one for _, one in self.experiment.scenarios]


@dataclass(frozen=True)
class CarriedOut:
    """The outcome of a request.

    Args:
        folder: of the results.
        is_complete: every cell whose scheme this machine can have has a result, and there is at least one.
    """

    folder: Path
    is_complete: bool


def prepare(
    request: RunRequest, given: ScenarioArgument | None = None, *, console: Console | None = None, virtual: bool | None = None
) -> Prepared:
    """Read and check everything, before anything is made.

    Args:
        request: the user's wishes.
        given: the scenario, where it is more than a name or a path.
        console: where progress is shown; None: nowhere.
        virtual: in which time, where there is no choice; None: as the request says.

    Raises:
        UserError: the request or the scenario says something impossible, or something that is needed is missing.
    """
    if virtual is None:
        virtual = uses_virtual_time(request.time, request.only_virtual)
    effort = Effort.of(request, virtual=virtual)
    experiment = experiment_of(request.scenario if given is None else given, effort)
    options = RunOptions.of(request, console or Console(quiet=True), virtual=virtual)
    scenarios = [one for _, one in experiment.scenarios]
    trace = trace_filter(request.trace, scenarios)
    if trace and options.toolchain.bmv2 is not None:
        raise UserError("TRACE= is of the embedded switch; BMv2 has its own log", "leave out SWITCH=bmv2")
    check_kernels(scenarios, virtual=virtual)
    if not virtual:
        check_root()
        check_commands()
    check_ends(request, scenarios, options.toolchain)
    check_can_run(scenarios, options.toolchain, request.grpc_base_port, virtual=virtual)
    return Prepared(request, experiment, replace(options, request=replace(request, trace=trace)))


def _page(prepared: Prepared, folder: Path) -> AbstractContextManager[None] | None:
    options, console = prepared.request.page, prepared.options.console
    return None if options is None else page_beside(folder, options, lambda line: console.print(line, highlight=False))


def carry_out(prepared: Prepared, folder: Path | None = None) -> CarriedOut:
    """Measure all cells, show what came out, and leave it in a folder.

    Args:
        prepared: the result of :func:`prepare`.
        folder: in which the results' own folder is made; None: ``results``.

    Raises:
        UserError: something did not start.
    """
    if any(scenario.has_nothing_to_do for scenario in prepared.scenarios):
        raise UserError(
            f"{prepared.experiment.file.path}: there is nothing to transmit: neither transmissions nor workloads nor programs",
            "a network alone is for a prompt: make cli",
        )
    where = new_result_folder(folder or RESULTS, prepared.experiment.name)
    is_complete = run_experiment(prepared.experiment, where, prepared.options, _page(prepared, where))
    return CarriedOut(where, is_complete)
