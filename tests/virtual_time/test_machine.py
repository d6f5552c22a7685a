"""The messages about a kernel that ends well, ends too soon, or says nothing: with programs that behave like one."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from common.errors import UserError
from tests.harness.waiting import wait_for
from virtual_time import machine, tied_start
from virtual_time.boot import Machine
from virtual_time.console import MARK, Event
from virtual_time.console_reader import Console
from virtual_time.joined import Joined
from virtual_time.process_table import is_running

EXIT = f'printf \'{MARK}{{"event": "exit", "status": %d}}\\n\' '


def boot(tmp_path: Path, script: str, **more: Any) -> int:
    kernel = tmp_path / "kernel"
    kernel.write_text(f"#!/bin/sh\n{script}\n")
    kernel.chmod(0o755)
    (tmp_path / "image").touch()
    folder = tmp_path / "job"
    folder.mkdir()
    setting = Machine(kernel, tmp_path / "image", patience_s=more.pop("patience_s", 30.0), joined=more.pop("joined", None))
    return machine.run(setting, ["true"], folder, environment={}, inside_folder="/", **more)


def test_the_exit_code_and_what_was_said(tmp_path: Path) -> None:
    text: list[str] = []
    events: list[Mapping[str, Any]] = []
    script = f'echo hello; printf \'{MARK}{{"event": "time", "virtual_s": 1.5}}\\n\'; {EXIT} 3'
    assert boot(tmp_path, script, on_text=text.append, on_event=events.append) == 3
    assert text == ["hello"]
    assert [event["event"] for event in events] == ["time", "exit"]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'Kernel panic - not syncing: VFS'; exit 134", "the kernel inside gave up"),
        ("echo 'Kernel panic - not syncing: The system was going to sleep forever, aborting'; exit 1", "waits for somebody else"),
        ("kill -KILL $$", "SIGKILL"),
        ("exit 5", "exit code 5"),
        ("echo 'OSError: [Errno 28] No space left on device'", "the disk is full"),
    ],
)
def test_an_early_end_says_why(tmp_path: Path, script: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        boot(tmp_path, script)


def test_time_that_stands_still_names_who_computes(tmp_path: Path) -> None:
    script = "trap 'echo \"running: python3 (process 77)\"' USR2; while :; do sleep 0.05; done"
    with pytest.raises(UserError, match=r"stands still at 0.000 s.*python3 \(process 77\) computes"):
        boot(tmp_path, script, patience_s=3.0)


def test_it_is_told_what_processor_time_it_took_with_its_children(tmp_path: Path) -> None:
    took_s: list[float] = []
    computes = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
    assert boot(tmp_path, f"({computes}); {EXIT} 0", on_end=took_s.append) == 0
    assert 0.05 < took_s[0] < 20
    idle = tmp_path / "idle"
    idle.mkdir()
    assert boot(idle, f"sleep 0.5; {EXIT} 0", on_end=took_s.append) == 0
    assert took_s[1] < took_s[0] / 2


def test_it_ends_when_it_is_told_to(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(UserError, match="interrupted"):
        boot(tmp_path, "exec sleep 60", stop=stop)


def test_a_kernel_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    setting = Machine(tmp_path / "none", tmp_path / "image")
    with pytest.raises(UserError):
        machine.run(setting, ["true"], tmp_path / "job", environment={}, inside_folder="/")


def test_an_event_behind_a_line_that_has_not_ended(tmp_path: Path) -> None:
    file = tmp_path / "console.log"
    events: list[Event] = []
    file.write_text('h1 -> h2 \x1e{"event": "asks", "number": 1}\nX\n')
    console = Console(file, events.append)
    console.read()
    assert events == [{"event": "asks", "number": 1}]
    assert console.text == ["h1 -> h2 ", "X"], "a question ends the line, for the answer to be on one of its own"
    file.write_text('h1 -> h2 \x1e{"event": "time", "virtual_s": 1.0}\nh3 \x1e{"event": "time", "virtual_s": 2.0}\nX\n')
    console = Console(file, events.append)
    console.read()
    assert console.text == ["h1 -> h2 h3 X"], "the clock does not"


def test_a_kernel_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    (tmp_path / "image").touch()
    (tmp_path / "kernel").write_text("no program")
    (tmp_path / "job").mkdir()
    with pytest.raises(UserError, match=r"exit code 1\n  cannot start .*/kernel: Permission denied"):
        machine.run(Machine(tmp_path / "kernel", tmp_path / "image"), ["true"], tmp_path / "job", environment={}, inside_folder="/")


def test_a_kernel_is_as_if_python_had_never_been_there(tmp_path: Path) -> None:
    text: list[str] = []
    boot(tmp_path, f"env; grep SigIgn /proc/self/status; {EXIT} 0", on_text=text.append)
    (ignored,) = [int(line.split()[1], 16) for line in text if line.startswith("SigIgn")]
    assert not any(ignored >> (number - 1) & 1 for number in tied_start.IGNORED_BY_PYTHON)
    names = {line.partition("=")[0] for line in text if "=" in line}
    assert names - {"PWD", "OLDPWD", "SHLVL", "_"} == {"GLIBC_TUNABLES", "HOME", "PATH", "TMPDIR"}  # the shell adds the others


def test_a_kernel_ends_with_the_program_that_started_it(tmp_path: Path) -> None:
    program = "import subprocess, sys, signal, time; from virtual_time.tied_start import tied; "
    program += "child = subprocess.Popen(tied(['/bin/sleep', '60'], signal.SIGKILL)); print(child.pid, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        child = int(starter.stdout.readline())
        wait_for("the tied program", lambda: "sleep" in Path(f"/proc/{child}/cmdline").read_text())
        starter.kill()
    wait_for("its end", lambda: not is_running(child))


def test_a_kernel_that_is_joined_to_others_maps_their_memory_and_asks_their_calendar(tmp_path: Path) -> None:
    memory, calendar = tmp_path / "memory", tmp_path / "calendar"
    memory.write_text("shared\n")
    calendar.write_text("a socket")
    for joined, clock in ((Joined(3, memory), "inf-cpu"), (Joined(3, memory, calendar), "ext:3:calendar")):
        text: list[str] = []
        script = f'echo "$@"; cat memory; {EXIT} 0'
        assert boot(tmp_path, script, on_text=text.append, joined=joined) == 0
        arguments = text[0].split()
        assert (f"time-travel={clock}" in arguments, "iomem=mmapper,memory" in arguments) == (True, True)
        assert text[1] == "shared"
        shutil.rmtree(tmp_path / "job")
