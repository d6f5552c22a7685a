"""Processors that are kept awake: when, by what, and that it goes with whoever started it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from common.errors import UserError
from tests.harness.waiting import LIMIT_S
from topo import processors


@pytest.mark.parametrize(("flags", "expected"), [("fpu vme hypervisor lahf_lm", True), ("fpu vme lahf_lm", False), ("nohypervisor", False)])
def test_the_processors_say_whether_there_is_a_hypervisor(tmp_path: Path, flags: str, expected: bool) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"model name\t: X\nflags\t\t: {flags}\n\nmodel name\t: X\nflags\t\t: {flags}\n")
    assert processors.is_virtual(cpuinfo) is expected


def test_nothing_says_so(tmp_path: Path) -> None:
    assert not processors.is_virtual(tmp_path / "none")


@pytest.mark.parametrize(
    ("choice", "virtual", "expected"), [("yes", False, True), ("no", True, False), ("auto", True, True), ("", False, False)]
)
def test_the_choice(monkeypatch: pytest.MonkeyPatch, choice: str, virtual: bool, expected: bool) -> None:
    monkeypatch.setenv(processors.CHOICE, choice)
    monkeypatch.setattr(processors, "is_virtual", lambda: virtual)
    assert processors.are_to_be_kept_awake() is expected


def test_a_choice_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(processors.CHOICE, "maybe")
    with pytest.raises(UserError, match=r"NODECTL_KEEP_AWAKE is 'maybe'\n.*yes, no or auto"):
        processors.are_to_be_kept_awake()


def test_what_keeps_them_awake_ends_with_its_standard_input() -> None:
    with subprocess.Popen(processors.KEEP_AWAKE_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == b'{"event":"ready"}\n'
        assert child.poll() is None
        child.stdin.close()
        assert child.wait(timeout=LIMIT_S) == 0


@pytest.mark.real_time
@pytest.mark.this_machine
def test_a_processor_that_runs_nothing_else_for_a_while_is_noticed(tmp_path: Path) -> None:
    """A program above all others on one processor is to everybody else what a hypervisor is that takes it away."""
    file = tmp_path / "standstills.csv"
    wanted_ms = 20
    with subprocess.Popen(processors.watch_command(file), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdin is not None
        assert watching.stdout is not None
        assert watching.stdout.readline().strip() == '{"event":"ready"}'
        begin_ns = time.monotonic_ns()
        subprocess.run([sys.executable, "-c", HOG, str(wanted_ms)], check=True)
        end_ns = time.monotonic_ns()
        watching.stdin.close()
        assert watching.wait(timeout=LIMIT_S) == 0
    header, *rows = file.read_text().splitlines()
    assert header == "time_ns,processor,standstill_us"
    found = [tuple(map(int, row.split(","))) for row in rows]
    assert any(
        begin_ns < since_ns < end_ns and processor == min(os.sched_getaffinity(0)) and standstill_us > 1000 * wanted_ms / 2
        for since_ns, processor, standstill_us in found
    )


def test_watching_into_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refused = subprocess.run(processors.watch_command(tmp_path / "none" / "x.csv"), capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "No such file" in refused.stderr


HOG = """
import os, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
until = time.monotonic() + int(sys.argv[1]) / 1000
while time.monotonic() < until:
    pass
"""
