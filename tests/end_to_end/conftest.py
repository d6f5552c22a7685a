"""What the end-to-end tests need, and what must not be left behind."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.scenario_run import ScenarioResult
from protocol.errors import UserError
from tests.harness.waiting import wait_for
from topo.preflight import PROJECT, check_all, check_machine
from topo.toolchain import Toolchain

SHORT_SCENARIO = """
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
measure_last_s = 2
attempts = 5
"""

DEADLINE_S = 60.0
"""For a run to begin or to end."""

LOOK_EVERY_S = 0.1
"""Looking for traces lists all processes, which is not to take the machine from the run."""

GRPC_BASE_PORT = 50151
"""Not the default, so that a test does not collide with a run by hand."""


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
    file.write_text(SHORT_SCENARIO.format(schemes='"nodectl"', duration_s=5))
    return file


@pytest.fixture
def nothing_left_behind() -> Iterator[None]:
    """Fail if the test leaves a process, an interface, a congestion control or a runtime folder behind."""
    before = traces()
    yield
    assert traces() == before


def assert_accepted(result: ScenarioResult) -> None:
    """Every scheme has a run that counts; where the machine was too uneven in every attempt, the verdicts say so."""
    late = ", ".join(f"{run.verdict.late_share:.1%}" for run in result.rejected)
    assert not result.failures, f"{result.failures} (packets over 1 ms late in the runs that do not count: {late or 'there are none'})"


def traces() -> dict[str, list[str]]:
    """What a run could leave on the machine."""
    processes = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
    ours = ("mininet:", "p4switch", "simple_switch_grpc", "-m controller", "-m hosts", "topo.janitor")
    return {
        "processes": sorted(line for line in processes if any(mark in line for mark in ours)),
        "interfaces": sorted(interface.name for interface in Path("/sys/class/net").iterdir()),
        "congestion controls": Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split(),
        "folders": sorted(str(folder) for folder in Path("/tmp").glob("nodectl-*")),
    }


def wait_for_senders(run: subprocess.Popen[str]) -> None:
    """Until the run that this process is has started its senders."""

    def has_senders() -> bool:
        assert run.poll() is None, f"the run ended early: {run.communicate()}"
        return any("-m hosts send" in line for line in traces()["processes"])

    wait_for("the senders", has_senders, DEADLINE_S, LOOK_EVERY_S)


def wait_until_clean(before: dict[str, list[str]]) -> None:
    """Until nothing is left that was not there ``before``; fails with what is."""

    def difference() -> str:
        return "; ".join(f"{kind} to be {before[kind]} instead of {now}" for kind, now in traces().items() if now != before[kind])

    wait_for(difference, lambda: traces() == before, DEADLINE_S, LOOK_EVERY_S)


def environment() -> dict[str, str]:
    """Environment of a command as a user has it."""
    return {**os.environ, "PYTHONPATH": str(PROJECT), "COLUMNS": "160"}
