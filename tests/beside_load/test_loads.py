"""Load that takes processors away leaves alone what a test has stopped itself, and what a user-mode kernel traces."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.beside_load.loads import KERNEL, is_inside_a_kernel, is_stopped_again

STATUS = "Name:\tswitch\nState:\t{}\nSigPnd:\t0000000000000000\nShdPnd:\t{}\nSigBlk:\t0000000000000000\n"
STOPPED, RUNS = "T (stopped)", "R (running)"


@pytest.mark.parametrize(
    ("state", "pending", "again"),
    [
        (STOPPED, "0000000000000000", False),
        (STOPPED, "0000000000040000", True),
        (STOPPED, "0000000000044002", True),
        (STOPPED, "0000000000020000", False),
        (RUNS, "0000000000040000", False),
    ],
)
def test_a_stop_of_somebody_else_is_seen(state: str, pending: str, again: bool) -> None:
    assert is_stopped_again(STATUS.format(state, pending)) is again


@pytest.mark.parametrize(("name", "inside"), [(KERNEL, True), ("shell", False)])
def test_programs_inside_a_kernel_are_left_alone(name: str, inside: bool, tmp_path: Path) -> None:
    program = shutil.copy2("/bin/bash", tmp_path / name)
    words = [program, "-c", "(echo $BASHPID; read line); true"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdin is not None
        assert started.stdout is not None
        child = int(started.stdout.readline())
        assert is_inside_a_kernel(child) is inside
        assert not is_inside_a_kernel(started.pid)
        started.stdin.close()
