"""Detection of virtual machines, whose processors wake up late; commands that keep these awake during measurements, and watch them.

A virtual processor that has nothing to do is taken off the real one, and comes back when the hypervisor has room for it. The remedy is a
program that computes nothing on every processor, at a priority below everybody's: `p4switch keep-awake`. It costs real processor time, so
it runs only while a testbed is up, and where processors have no hypervisor under them only if it is asked for.
"""

from __future__ import annotations

import os
from pathlib import Path

from common.errors import UserError
from common.installation import BINARIES

CPUINFO = Path("/proc/cpuinfo")
CHOICE = "NODECTL_KEEP_AWAKE"
"""Environment variable: ``yes``, ``no``, or ``auto``, which means on a virtual machine; the default."""

KEEP_AWAKE_COMMAND = (str(BINARIES / "p4switch"), "keep-awake")
"""Ends when its standard input does."""


def watch_command(file: Path) -> tuple[str, ...]:
    """Writes a CSV line to ``file`` for every millisecond or more that a processor stood still; ends when its standard input does."""
    return str(BINARIES / "p4switch"), "watch-processors", str(file)


def is_virtual(cpuinfo: Path = CPUINFO) -> bool:
    """Whether the processors say that there is a hypervisor under them; False where nothing says so."""
    try:
        lines = cpuinfo.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return False
    return any(line.startswith("flags") and "hypervisor" in line.split() for line in lines)


def are_to_be_kept_awake() -> bool:
    """Whether measurements are to keep the processors awake.

    Raises:
        UserError: the environment variable has another value than those three.
    """
    choice = os.environ.get(CHOICE) or "auto"
    if choice not in ("auto", "yes", "no"):
        raise UserError(f"{CHOICE} is {choice!r}", "set it to yes, no or auto")
    return is_virtual() if choice == "auto" else choice == "yes"
