"""Priorities between sessions: with the kernel's autogroups a process's nice value counts only within its session (sched(7))."""

from __future__ import annotations

import contextlib
from pathlib import Path


def prefer_session(leader: int, nice: int, proc: Path = Path("/proc")) -> None:
    """Give the session that process ``leader`` leads a nice value of its own, -20 to 19, against other sessions.

    Harmless where the kernel has no autogroups (nice values then count between all processes), or the process has ended.
    """
    with contextlib.suppress(OSError):
        (proc / str(leader) / "autogroup").write_text(str(nice))
