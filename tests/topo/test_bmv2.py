"""How BMv2's processes are started."""

from __future__ import annotations

import os
import subprocess

import pytest

from topo import bmv2

CPUS = sorted(os.sched_getaffinity(0))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_all_threads_of_a_switch_are_on_one_cpu(number: int) -> None:
    command = [*bmv2.on_one_cpu(number), "sh", "-c", "grep Cpus_allowed_list /proc/self/status"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert answer.split() == ["Cpus_allowed_list:", str(CPUS[number % len(CPUS)])]


def test_without_taskset_a_switch_is_where_the_system_puts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert bmv2.on_one_cpu(1) == ()
