"""Cleans up after a run that died: a small process that outlives it, and is told of all things to clean up.

The run writes one line for each thing it starts (`process PID`, `congestion-control NAME`, `interface NAME`, `path FILE`,
`setting FILE VALUE`, `allowed NAME …`) into the janitor's standard input, and `done` when it has cleaned up itself. If the pipe closes
without `done`, the run was killed, and the janitor does it. Processes carry a mark of their run in the environment as well: one that
was being started when the run was killed is known by nothing else.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from common.own_module import own_module
from topo.allowed_congestion_controls import allow
from topo.process_state import ZOMBIE, process_state

KILL_GRACE_S = 2.0
END_S = 60.0
MARK = "NODECTL_RUN"
"""Environment variable that every process of a run inherits."""

BEING_STARTED_S = 1.0
"""A process that was being started when its run was killed shows its mark by then."""


def start_time(pid: int) -> str | None:
    """The kernel's start time of a process in clock ticks since boot, or None if there is no such process.

    With the pid it names one process for good: a pid alone can be taken over by another process.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[19]


class Janitor:
    """The run's side: starts the janitor process and tells it what exists.

    Args:
        is_needed: else there is none: the machine ends with the run.
    """

    def __init__(self, *, is_needed: bool = True) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._mark_before = os.environ.get(MARK)
        if not is_needed:
            return
        os.environ[MARK] = secrets.token_hex(8)
        self._process = subprocess.Popen(
            own_module("topo.janitor"),
            stdin=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )

    def watch_process(self, pid: int) -> None:
        """Have process group ``pid`` killed if the run dies."""
        self._tell(f"process {pid} {start_time(pid)}")

    def watch_congestion_control(self, name: str) -> None:
        """Have BPF congestion control ``name`` unregistered if the run dies."""
        self._tell(f"congestion-control {name}")

    def watch_interface(self, name: str) -> None:
        """Have network interface ``name`` of the own namespace removed if the run dies."""
        self._tell(f"interface {name}")

    def watch_path(self, path: Path) -> None:
        """Have a file or folder removed if the run dies."""
        self._tell(f"path {path}")

    def watch_setting(self, file: Path, value: str) -> None:
        """Have a file of the kernel's say ``value`` again if the run dies."""
        self._tell(f"setting {file} {value}")

    def watch_allowed(self, congestion_controls: Sequence[str]) -> None:
        """Allow hosts these congestion controls alone again if the run dies."""
        self._tell(f"allowed {' '.join(congestion_controls)}")

    def close(self) -> None:
        """Everything is cleaned up: the janitor goes without doing anything."""
        self._tell("done")
        if self._mark_before is None:
            os.environ.pop(MARK, None)
        else:
            os.environ[MARK] = self._mark_before
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait(timeout=END_S)

    def _tell(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()


def kill_groups(processes: dict[int, str]) -> None:
    """Kill process groups, first politely. ``processes`` maps pid to start time; a pid that was reused is left alone."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        alive = [pid for pid, started in processes.items() if start_time(pid) == started]
        for pid in alive:
            try:
                os.killpg(pid, signal_number)
            except (ProcessLookupError, PermissionError):
                continue
        deadline = time.monotonic() + KILL_GRACE_S
        while alive and time.monotonic() < deadline:
            time.sleep(0.05)
            alive = [pid for pid in alive if start_time(pid) == processes[pid] and not _is_zombie(pid)]


def marked_processes(mark: str) -> set[int]:
    """Processes that carry a run's mark, without the one that asks."""
    wanted = f"{MARK}={mark}".encode()
    found = set()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal() or int(folder.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.add(int(folder.name))
    return found


def kill_marked(mark: str) -> None:
    """Kill all processes that carry a run's mark, and those that still turn up with it within ``BEING_STARTED_S``."""
    deadline = time.monotonic() + BEING_STARTED_S
    while True:
        for pid in marked_processes(mark):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            return
        time.sleep(0.1)


def _is_zombie(pid: int) -> bool:
    return process_state(pid) in (None, ZOMBIE)


def main() -> int:
    """Listen until the run says `done` or dies."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    processes: dict[int, str] = {}
    congestion_controls: list[str] = []
    interfaces: list[str] = []
    paths: list[Path] = []
    settings: list[tuple[Path, str]] = []
    allowed: list[str] = []
    for line in sys.stdin:
        kind, _, rest = line.rstrip("\n").partition(" ")
        if kind == "done":
            return 0
        if kind == "process":
            pid, _, started = rest.partition(" ")
            processes[int(pid)] = started
        elif kind == "congestion-control":
            congestion_controls.append(rest)
        elif kind == "interface":
            interfaces.append(rest)
        elif kind == "path":
            paths.append(Path(rest))
        elif kind == "setting":
            file, _, value = rest.partition(" ")
            settings.append((Path(file), value))
        elif kind == "allowed":
            allowed = rest.split()
    kill_groups(processes)
    if MARK in os.environ:
        kill_marked(os.environ[MARK])
    for name in congestion_controls:
        subprocess.run(own_module("hosts.cca", "unload", name), check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for name in interfaces:
        subprocess.run(["ip", "link", "delete", name], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for file, value in settings:
        with contextlib.suppress(OSError):
            file.write_text(value)
    if allowed:
        with contextlib.suppress(OSError):
            allow(allowed)
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(main)
