"""The state of a process, as the kernel says it (proc(5), /proc/PID/stat)."""

from __future__ import annotations

import signal
from pathlib import Path

STOPPED = "T"
"""Stopped by a signal (SIGSTOP); a debugger's stop is another letter."""
ZOMBIE = "Z"


def process_state(pid: int) -> str | None:
    """The letter of a process's state, or None if there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[0]


def how_it_ended(status: int) -> str:
    """A process's return code in words, as subprocess gives it: negative for a signal."""
    if status >= 0:
        return f"exit code {status}"
    try:
        return f"killed by signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"killed by signal {-status}"
