"""A scenario run: every scheme, every repetition, rejected runs repeated, everything recorded in one folder."""

from __future__ import annotations

import json
import platform
import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from experiments.schemes import bpf_schemes, check_schemes
from experiments.single_run import NEGOTIATED_SCHEME, RunResult, SingleRun
from protocol.errors import UserError
from scenario.file import Scenario
from topo.layout import plan_network
from topo.network_plan import NetworkPlan
from topo.preflight import PROJECT, check_all
from topo.testbed import Testbed, TestbedOptions
from topo.toolchain import Toolchain

EMBEDDED_TOOLCHAIN = Toolchain()


@dataclass(frozen=True)
class ScenarioResult:
    """All runs of a scenario: those that count, and those the fidelity verdict rejected."""

    scenario: Scenario
    folder: Path
    runs: list[RunResult]
    rejected: list[RunResult]
    failures: dict[str, str]
    """Schemes without a result, and why."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Schemes that this machine cannot have, and why."""
    toolchain: dict[str, str] = field(default_factory=dict)
    """Compiler and switch."""

    def of_scheme(self, scheme: str) -> list[RunResult]:
        """The accepted runs of a scheme."""
        return [run for run in self.runs if run.scheme == scheme]


def transmission_labels(scenario: Scenario, plan: NetworkPlan) -> dict[str, str]:
    """Names of transmissions for the controller, keyed by addresses."""
    return {
        f"{interface.ip}>{plan.hosts[t.receiver].ip}": t.name for t in scenario.transmissions for interface in plan.interfaces(t.sender)
    }


def check_can_run(scenario: Scenario, toolchain: Toolchain, grpc_base_port: int) -> None:
    """Check everything a scenario's testbed needs, before anything is made.

    Raises:
        UserError: the first thing that is missing.
    """
    plan = plan_network(scenario, grpc_base_port)
    check_all(toolchain, range(grpc_base_port, grpc_base_port + len(plan.switches)), needs_bpf=check_schemes(scenario))


def run_scenario(
    scenario: Scenario, folder: Path, *, toolchain: Toolchain = EMBEDDED_TOOLCHAIN, grpc_base_port: int, console: Console
) -> ScenarioResult:
    """Run every scheme of a scenario on a testbed of its own.

    Args:
        scenario: what to run.
        folder: an empty folder for samples, logs and results.
        toolchain: whose compiler and switch.
        grpc_base_port: P4Runtime port of the first switch; the others follow.
        console: where progress is shown.

    Raises:
        UserError: something did not start.
    """
    plan = plan_network(scenario, grpc_base_port)
    needed = bpf_schemes(scenario)
    result = ScenarioResult(scenario, folder, [], [], {}, toolchain=toolchain.describe())
    options = TestbedOptions(
        folder=folder,
        labels=transmission_labels(scenario, plan),
        congestion_controls=tuple(needed),
        variant=scenario.variant,
        toolchain=toolchain,
    )
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        total_s = scenario.run.duration_s * len(scenario.run.schemes) * scenario.run.repetitions
        task = progress.add_task("starting the network", total=total_s)
        with Testbed(plan, options) as testbed:
            _skip_missing(testbed, result, console)
            for repetition in range(1, scenario.run.repetitions + 1):
                for scheme in wanted_schemes(result):
                    _run_scheme(testbed, result, scheme, repetition, progress, task)
            progress.update(task, description="taking the network down")
    _write_record(result)
    return result


def _skip_missing(testbed: Testbed, result: ScenarioResult, console: Console) -> None:
    for scheme, reason in testbed.missing_schemes.items():
        result.skipped[scheme] = reason.splitlines()[0]
        console.print(f"{scheme} is left out: {reason}", markup=False, highlight=False)
    if not wanted_schemes(result):
        raise UserError("none of the scenario's schemes can be had on this machine", "the reasons are above")


def wanted_schemes(result: ScenarioResult) -> list[str]:
    """The schemes that run: those of the scenario that this machine can have."""
    return [scheme for scheme in result.scenario.run.schemes if scheme not in result.skipped]


def _run_scheme(testbed: Testbed, result: ScenarioResult, scheme: str, repetition: int, progress: Progress, task: Any) -> None:
    scenario = result.scenario
    done_s = progress.tasks[task].completed
    for attempt in range(1, scenario.run.attempts + 1):
        folder = result.folder / f"{scheme}-{repetition}" / f"attempt-{attempt}"
        folder.mkdir(parents=True)
        again = "" if attempt == 1 else f" (attempt {attempt})"
        progress.update(task, description=f"{scheme}{again}", completed=done_s)
        run = SingleRun(testbed, scenario, scheme, folder, lambda elapsed_s: progress.update(task, completed=done_s + elapsed_s)).execute(
            repetition, attempt
        )
        if run.verdict.accepted:
            result.runs.append(run)
            break
        result.rejected.append(run)
        progress.console.print(
            f"{scheme}: {run.verdict}; the run is repeated" if attempt < scenario.run.attempts else f"{scheme}: {run.verdict}"
        )
    else:
        result.failures[scheme] = f"no run out of {scenario.run.attempts} kept the link model"
    progress.update(task, completed=done_s + scenario.run.duration_s)


def _write_record(result: ScenarioResult) -> None:
    record = {
        "scenario": result.scenario.model_dump(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": project_commit(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "toolchain": result.toolchain,
        "runs": [run.as_json() for run in result.runs],
        "rejected_runs": [run.as_json() for run in result.rejected],
        "failures": result.failures,
        "skipped": result.skipped,
    }
    (result.folder / "results.json").write_text(json.dumps(record, indent=1) + "\n")


def project_commit() -> str:
    """The commit the project is at, with ``+changes`` if files differ from it; ``unknown`` outside a checkout."""
    try:
        commit = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"], cwd=PROJECT, capture_output=True, text=True, check=True
        ).stdout.strip()
        changes = subprocess.run(["git", "status", "--porcelain"], cwd=PROJECT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit}{'+changes' if changes else ''}"


def new_result_folder(parent: Path, scenario_name: str) -> Path:
    """Make an empty folder for a run's results, named after scenario and time.

    Raises:
        UserError: it cannot be made.
    """
    folder = parent / f"{scenario_name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise UserError(f"cannot make the folder for the results, {folder}: {error.strerror}") from None
    return folder


__all__ = [
    "NEGOTIATED_SCHEME",
    "ScenarioResult",
    "bpf_schemes",
    "check_can_run",
    "new_result_folder",
    "project_commit",
    "run_scenario",
    "transmission_labels",
]
