"""The order of programs, in the words put before commands."""

from __future__ import annotations

import os
import subprocess

import pytest

from topo import priorities


def policy_and_priority(words: tuple[str, ...]) -> tuple[int, int]:
    """The policy and priority of a command started so, as the kernel tells (proc(5): policy, rt_priority)."""
    stat = subprocess.run([*words, "cat", "/proc/self/stat"], capture_output=True, text=True, check=True).stdout
    fields = stat.rpartition(")")[2].split()
    return int(fields[38]), int(fields[37])


@pytest.mark.skipif(os.geteuid() != 0, reason="real-time priorities need root")
def test_beside_bmv2_hosts_and_controller_go_first_in_real_time() -> None:
    switch = policy_and_priority(priorities.for_bmv2())
    if switch[0] == os.SCHED_OTHER:
        pytest.skip("this system grants no real-time priority")
    hosts = policy_and_priority(priorities.for_hosts(beside_bmv2=True))
    assert switch[0] == os.SCHED_FIFO
    assert hosts[0] == os.SCHED_RR
    assert hosts == policy_and_priority(priorities.for_controller(beside_bmv2=True))
    assert hosts[1] > switch[1]


def test_beside_the_embedded_switch_they_are_ordinary_programs() -> None:
    assert priorities.for_controller(beside_bmv2=False) == ()
    assert policy_and_priority(priorities.for_hosts(beside_bmv2=False))[0] == os.SCHED_OTHER


def test_without_chrt_nothing_is_in_real_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert priorities.for_bmv2() == ()
    assert priorities.for_hosts(beside_bmv2=True) == priorities.PROMPTLY
