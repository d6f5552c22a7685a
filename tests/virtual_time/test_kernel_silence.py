"""Silence counts only while a kernel could have said something."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from virtual_time import kernel_silence
from virtual_time.kernel_silence import KernelSilence, queued_in_group_s


class Clock:
    """A clock that is set by hand, and the time for which a group's processes waited for a processor."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.queued_s = 7.0
        self.ends_each_second = False

    def queued(self) -> dict[int, float]:
        """One process, or another one at each look."""
        return {int(self.now_s) if self.ends_each_second else 1: self.queued_s}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", lambda: clock.now_s)
    monkeypatch.setattr(kernel_silence, "queued_in_group_s", lambda _group: clock.queued())
    return clock


def longest(silence: KernelSilence, clock: Clock, *, seconds: int, queued_each_s: float, patience_s: float) -> int | None:
    """After how many seconds the silence is too long."""
    for second in range(1, seconds + 1):
        clock.now_s += 1.0
        clock.queued_s += queued_each_s
        if silence.is_longer_than(patience_s):
            return second
    return None


def test_an_idle_machine_s_silence_counts_whole(clock: Clock) -> None:
    # The first second goes by until the first look.
    assert longest(KernelSilence(1), clock, seconds=60, queued_each_s=0.0, patience_s=10.0) == 12


def test_what_others_had_of_the_processor_does_not_count(clock: Clock) -> None:
    assert longest(KernelSilence(1), clock, seconds=60, queued_each_s=0.75, patience_s=10.0) == 42
    assert longest(KernelSilence(1), clock, seconds=600, queued_each_s=1.0, patience_s=10.0) is None


def test_waits_of_processes_that_have_ended_count_too(clock: Clock) -> None:
    clock.ends_each_second, clock.queued_s = True, 0.5
    # Each of them has waited for half a second when it is seen.
    assert longest(KernelSilence(1), clock, seconds=60, queued_each_s=0.0, patience_s=10.0) == 22


def test_a_word_ends_the_silence(clock: Clock) -> None:
    silence = KernelSilence(1)
    assert longest(silence, clock, seconds=11, queued_each_s=0.0, patience_s=10.0) is None
    silence.heard()
    assert silence.lasted_s() == 0.0
    assert longest(silence, clock, seconds=60, queued_each_s=0.0, patience_s=10.0) == 12


def test_the_queue_of_a_group_is_that_of_its_processes() -> None:
    program = "import sys; print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        queued_s = queued_in_group_s(process.pid)
        assert list(queued_s) == [process.pid]
        assert 0.0 <= queued_s[process.pid] < time.monotonic()
        process.communicate()
    assert queued_in_group_s(process.pid) == {}
    assert os.getpid() in queued_in_group_s(os.getpgid(0))
