"""The processes of this machine, as the kernel lists them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

PROCESSES = Path("/proc")
PARENT, GROUP, USER_TICKS, SYSTEM_TICKS, CHILDRENS_USER_TICKS, CHILDRENS_SYSTEM_TICKS = 4, 5, 14, 15, 16, 17
"""Fields of /proc/PID/stat, by their numbers in proc_pid_stat(5)."""

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_FIRST_FIELD = 3
"""Behind the name of the program, which stands in brackets and may contain anything."""


def processes() -> Iterator[int]:
    """The numbers of all processes; one may be gone before it is looked at."""
    for folder in PROCESSES.iterdir():
        if folder.name.isdigit():
            yield int(folder.name)


def stat_fields(process: int, *fields: int) -> list[int] | None:
    """Some fields of a process; None if there is none."""
    try:
        values = (PROCESSES / str(process) / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return [int(values[field - _FIRST_FIELD]) for field in fields]
    except (OSError, ValueError, IndexError):
        return None


def processor_s(process: int, *, with_children: bool = False) -> float:
    """Seconds of processors that a process has used, if wanted with its children that it has waited for; 0 if it is gone."""
    fields = (USER_TICKS, SYSTEM_TICKS, *((CHILDRENS_USER_TICKS, CHILDRENS_SYSTEM_TICKS) if with_children else ()))
    return sum(stat_fields(process, *fields) or ()) / TICKS_PER_S
