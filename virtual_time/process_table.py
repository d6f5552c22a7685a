"""The processes of this machine, as the kernel lists them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

PROCESSES = Path("/proc")
STATE, PARENT, GROUP, USER_TICKS, SYSTEM_TICKS, CHILDRENS_USER_TICKS, CHILDRENS_SYSTEM_TICKS = 3, 4, 5, 14, 15, 16, 17
"""Fields of /proc/PID/stat, by their numbers in proc_pid_stat(5)."""

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_FIRST_FIELD = STATE
"""Behind the name of the program, which stands in brackets and may contain anything."""

ENDED = "ZX"
"""States of processes that have ended, and that their parents have not asked about."""


def processes() -> Iterator[int]:
    """The numbers of all processes; one may be gone before it is looked at."""
    for folder in PROCESSES.iterdir():
        if folder.name.isdigit():
            yield int(folder.name)


def processes_in(folder: Path) -> list[int]:
    """The numbers of the processes that work in a folder or below it."""
    found = []
    for process in processes():
        try:
            is_there = (PROCESSES / str(process) / "cwd").readlink().is_relative_to(folder)
        except OSError:
            continue  # it is gone, or somebody else's
        if is_there:
            found.append(process)
    return sorted(found)


def stat_fields(process: int, *fields: int) -> list[int] | None:
    """Some fields of a process that are numbers; None if there is none."""
    try:
        return [int(value) for value in _words(process, *fields)]
    except (OSError, ValueError, IndexError):
        return None


def is_running(group: int) -> bool:
    """Whether a process of a group still runs. The machine's first process may take seconds to notice those that have ended."""
    for process in processes():
        try:
            state, its_group = _words(process, STATE, GROUP)
        except (OSError, IndexError):
            continue  # it is gone
        if its_group == str(group) and state not in ENDED:
            return True
    return False


def processor_s(process: int, *, with_children: bool = False) -> float:
    """Seconds of processors that a process has used, if wanted with its children that it has waited for; 0 if it is gone."""
    fields = (USER_TICKS, SYSTEM_TICKS, *((CHILDRENS_USER_TICKS, CHILDRENS_SYSTEM_TICKS) if with_children else ()))
    return sum(stat_fields(process, *fields) or ()) / TICKS_PER_S


def _words(process: int, *fields: int) -> list[str]:
    values = (PROCESSES / str(process) / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return [values[field - _FIRST_FIELD] for field in fields]
