"""How BMv2's processes are started."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from topo import bmv2
from topo.network_plan import SwitchPlan

CPUS = sorted(os.sched_getaffinity(0))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_all_threads_of_a_switch_are_on_one_cpu(number: int) -> None:
    command = [*bmv2.on_one_cpu(number), "sh", "-c", "grep Cpus_allowed_list /proc/self/status"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert answer.split() == ["Cpus_allowed_list:", str(CPUS[number % len(CPUS)])]


def test_without_taskset_a_switch_is_where_the_system_puts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert bmv2.on_one_cpu(1) == ()


@pytest.mark.parametrize(("help_text", "told"), [("  --thrift-port arg", ("--thrift-port", "51053")), ("  --device-id arg", ())])
def test_switches_with_thrift_have_ports_of_their_own(help_text: str, told: tuple[str, ...], tmp_path: Path) -> None:
    command = tmp_path / "simple_switch_grpc"
    command.write_text(f"#!/bin/sh\necho '{help_text}'\n")
    command.chmod(0o755)
    assert bmv2.thrift_port(command, SwitchPlan("s3", 3, grpc_base_port=50051).grpc_address) == told


def test_a_command_that_cannot_be_started_is_told_nothing_about_thrift(tmp_path: Path) -> None:
    assert bmv2.thrift_port(tmp_path / "nothing", SwitchPlan("s1", 1).grpc_address) == ()
