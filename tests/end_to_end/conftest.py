"""What the end-to-end tests need, and what must not be left behind."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.scenario_run import ScenarioResult
from protocol.errors import UserError
from topo.preflight import PROJECT, check_all
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

GRPC_BASE_PORT = 50151
"""Not the default, so that a test does not collide with a run by hand."""


@pytest.fixture(scope="session", autouse=True)
def can_run() -> None:
    """Skip, with the reason, where the testbed cannot run."""
    try:
        check_all(Toolchain(), range(GRPC_BASE_PORT, GRPC_BASE_PORT + 2), needs_bpf=True)
    except UserError as error:
        pytest.skip(f"the testbed cannot run here: {error}")


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


def skip_if_rejected(result: ScenarioResult) -> None:
    """Skip, with the verdicts, where the machine was too uneven for the link model in every attempt; any other failure fails."""
    rejected = {run.scheme for run in result.rejected}
    unexplained = {scheme: why for scheme, why in result.failures.items() if scheme not in rejected}
    assert not unexplained, unexplained
    if result.failures:
        late = ", ".join(f"{run.verdict.late_share:.1%}" for run in result.rejected)
        pytest.skip(f"this machine did not keep the link model in any attempt (packets over 1 ms late: {late})")


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


def environment() -> dict[str, str]:
    """Environment of a command as a user has it."""
    return {**os.environ, "PYTHONPATH": str(PROJECT), "COLUMNS": "160"}
