"""Checks a scenario: that it and its entries fit the programs, how its run ends, and whether its bars are met."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from common.errors import UserError
from common.installation import RESULTS
from common.shown_path import shown
from engine.collect.store import ResultStore
from engine.execute.runner import Runner
from engine.plan.data_plane import DataPlanes
from engine.plan.experiment import Effort
from reports.claims.bars import judged
from reports.experiment import ReportedExperiment
from reports.results import NOTHING_DRAWN, ONE_RUN, Results
from reports.scenario_run import new_result_folder
from scenario.run_request import RunRequest
from testbed.checking.finding import Finding, Verdict
from testbed.prepared_run import prepare
from topo.layout import plan_network
from topo.toolchain import Toolchain

SCENARIO = "run.toml"
VIRTUAL = "virtual"
WITHOUT_SIGNS = str.maketrans("", "", f"*{ONE_RUN}{NOTHING_DRAWN}")
"""Of reports, whose notes say what the signs mean."""


def check_scenario(file: Path, toolchain: Toolchain) -> Finding:
    """Read it, with everything that its switches load.

    Args:
        file: the scenario file.
        toolchain: whose compiler.
    """
    try:
        experiment = ReportedExperiment.read(file, Effort(virtual=True))
        planes = DataPlanes(toolchain)
        for _, scenario in experiment.scenarios:
            planes.of(scenario)
    except UserError as error:
        return Finding(Verdict.FAILED, file.name, str(error))
    return Finding(Verdict.PASSED, file.name, "it can be read, and its entries fit the programs")


def program_of_switch(file: Path, switch: str) -> Path:
    """The P4 program that a switch of a scenario runs.

    Args:
        file: the scenario file.
        switch: its name.

    Raises:
        UserError: the scenario cannot be read, has no such switch, or says of no program for it.
    """
    scenario = ReportedExperiment.read(file, Effort(virtual=True)).scenarios[0][1]
    switches = plan_network(scenario).switches
    if switch not in switches:
        raise UserError(f"{shown(file)} has no switch {switch!r}", f"it has {', '.join(switches)}")
    own = scenario.switches.get(switch)
    program = (own.p4 if own is not None else None) or scenario.common_p4
    if program is None:
        raise UserError(f"{shown(file)}: {switch} runs the testbed's program", "p4 names another one, for all switches or for one")
    return program


def check_run(file: Path, results: Path = RESULTS) -> Iterator[Finding]:
    """Run it in virtual time, and judge its bars.

    Args:
        file: the scenario file.
        results: where the run's own folder is made.
    """
    name = f"run of {file.name}"
    try:
        console = Console(stderr=True) if sys.stderr.isatty() else None
        prepared = prepare(RunRequest(scenario=str(file), time=VIRTUAL, keep_samples=True), console=console)
        if any(scenario.has_nothing_to_do for scenario in prepared.scenarios):
            yield Finding(Verdict.LEFT_OUT, name, "it has no traffic: it is a network for a prompt")
            return
        folder = new_result_folder(results, f"check-{file.resolve().parent.name}")
        store = ResultStore(folder)
        Runner(store, prepared.options).run([prepared.experiment])
    except UserError as error:
        yield Finding(Verdict.FAILED, name, str(error))
        return
    records = store.records(prepared.experiment.cells())
    wrong = [f"{record.scheme}: {record.failure}" for record in records if not record.is_result]
    ended = [
        f"{one.host}, {program}: {one.how}: {one.said}" for record in records for program, one in record.programs.items() if one.has_failed
    ]
    if wrong or not records:
        yield Finding(Verdict.FAILED, name, "\n".join([*(wrong or ["there is no result"]), *ended, f"its logs: {shown(folder)}"]))
        return
    yield Finding(Verdict.PASSED, name, shown(folder))
    yield from _bars(prepared.experiment, Results(records))


def _bars(experiment: ReportedExperiment, results: Results) -> Iterator[Finding]:
    definition = experiment.definition
    for bar in definition.bars:
        found = judged(bar, results, definition.labels, {})
        if not found:
            known = sorted({name for record in results.records for name in record.values})
            yield Finding(Verdict.FAILED, "bar", f"no run of {bar.scheme} has a value {bar.value!r}; there are {', '.join(known)}")
        for one in found:
            yield Finding(Verdict.PASSED if one.is_met else Verdict.FAILED, "bar", str(one).translate(WITHOUT_SIGNS))
