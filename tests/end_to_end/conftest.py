"""The end-to-end tests' fixtures and helpers, and the check that nothing is left behind."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from common.errors import UserError
from common.installation import PROJECT
from engine.collect.record import CellRecord
from engine.collect.store import ResultStore
from engine.execute.runner import Runner
from engine.plan.experiment import Effort
from engine.plan.options import RunOptions
from reports.experiment import ReportedExperiment
from scenario.run_request import RunRequest
from tests.harness.scenario_file import own_scenario_file
from tests.harness.waiting import wait_for
from topo.preflight import check_all, check_machine
from topo.toolchain import Toolchain

SHORT_SCENARIO = """
schema = 2
title = "Two transmissions, for the tests"
packet_bytes = 1052
initial_window_packets = 1

[topology]
kind = "dumbbell"
pairs = 2
access = {{ rate_mbps = 100, delay_ms = 2 }}
bottleneck = {{ rate_mbps = 12, delay_ms = 5, queue_packets = 100 }}

[[transmissions]]
name = "A"
sender = "h1"
receiver = "h3"

[[transmissions]]
name = "B"
sender = "h2"
receiver = "h4"
start_s = 2

[run]
schemes = [{schemes}]
duration_s = {duration_s}
measure_from_s = {measure_from_s}
attempts = 5
"""

DEADLINE_S = 60.0
"""For a run to begin or to end."""

LOOK_EVERY_S = 0.1
"""Looking for traces lists all processes, which is not to take the machine from the run."""

GRPC_BASE_PORT = 50151
"""Not the default, so that a test does not collide with a run by hand."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run these tests alone: they list all processes and interfaces before and after a run, and must not see those of other tests."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.alone)


@pytest.fixture
def long_scenario() -> Iterator[Path]:
    """The file of a run that a test ends early."""
    with own_scenario_file(short_scenario(duration_s=60)) as file:
        yield file


@pytest.fixture(scope="session", autouse=True)
def machine_can_run() -> None:
    """Skip, with the reason, where the machine cannot run a testbed; fail where only something is not built, installed or free."""
    try:
        check_machine(needs_bpf=True)
    except UserError as error:
        pytest.skip(f"the testbed cannot run here: {error}")
    check_all(Toolchain(), range(GRPC_BASE_PORT, GRPC_BASE_PORT + 2), needs_bpf=True)


@pytest.fixture
def scenario_file(tmp_path: Path) -> Path:
    """A scenario of a few seconds with Nodectl alone."""
    file = tmp_path / "short.toml"
    file.write_text(short_scenario(duration_s=5))
    return file


def short_scenario(*, duration_s: float, measure_from_s: float | None = None) -> str:
    """A scenario file with Nodectl alone; the last two seconds are measured."""
    from_s = duration_s - 2 if measure_from_s is None else measure_from_s
    return SHORT_SCENARIO.format(schemes='"nodectl"', duration_s=duration_s, measure_from_s=from_s)


@pytest.fixture
def nothing_left_behind() -> Iterator[None]:
    """Fail if the test leaves a process, an interface, a congestion control or a runtime folder behind."""
    before = traces()
    yield
    assert traces() == before


def measured(file: Path, folder: Path, *, toolchain: Toolchain | None = None, effort: Effort | None = None) -> list[CellRecord]:
    """Measure all cells of a file into ``folder``; every one has a result, or the test fails with the reasons."""
    experiment, store = ReportedExperiment.read(file, effort), ResultStore(folder)
    options = RunOptions(RunRequest(grpc_base_port=GRPC_BASE_PORT, keep_samples=True), Console(quiet=True), toolchain or Toolchain())
    Runner(store, options).run([experiment])
    records = [store.load(cell) for cell in experiment.cells()]
    found = [record for record in records if record is not None]
    assert len(found) == len(records)
    assert not [record.failure for record in found if record.failure]
    return found


def traces() -> dict[str, list[str]]:
    """The traces that a run could leave on the machine, by kind. A process that has ended is none, though a container's first process may
    never take notice of it."""
    listed = subprocess.run(["ps", "-eo", "stat=,args="], capture_output=True, text=True, check=True).stdout.splitlines()
    processes = [line.partition(" ")[2].strip() for line in listed if not line.startswith("Z")]
    ours = ("mininet:", "p4switch", "simple_switch_grpc", "-m controller", "-m hosts", "topo.janitor")
    return {
        "processes": sorted(line for line in processes if any(mark in line for mark in ours)),
        "interfaces": sorted(interface.name for interface in Path("/sys/class/net").iterdir()),
        "congestion controls": congestion_controls("available"),
        "allowed congestion controls": congestion_controls("allowed"),
        "folders": sorted(str(folder) for folder in Path("/tmp").glob("nodectl-*")),
    }


def congestion_controls(which: str) -> list[str]:
    """Those that the kernel has available, or allows; none in a namespace that is not told."""
    file = Path(f"/proc/sys/net/ipv4/tcp_{which}_congestion_control")
    return sorted(file.read_text().split()) if file.exists() else []


def wait_for_senders(run: subprocess.Popen[str]) -> None:
    """Wait until a run, which is a process of its own, has started programs on its hosts."""

    def has_agents() -> bool:
        assert run.poll() is None, f"the run ended early: {run.communicate()}"
        return any("-m hosts agent" in line for line in traces()["processes"])

    wait_for("the hosts' programs", has_agents, DEADLINE_S, LOOK_EVERY_S)


def wait_until_clean(before: dict[str, list[str]]) -> None:
    """Wait until the traces are those of ``before`` again; the error names the differences."""

    def difference() -> str:
        return "; ".join(f"{kind} to be {before[kind]} instead of {now}" for kind, now in traces().items() if now != before[kind])

    wait_for(difference, lambda: traces() == before, DEADLINE_S, LOOK_EVERY_S)


def environment() -> dict[str, str]:
    """Environment of a command as a user has it."""
    return {**os.environ, "PYTHONPATH": str(PROJECT), "COLUMNS": "160"}
