"""What a child process took of the processors, itself and those of its own children that it has waited for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

FIRST_FIELD = 3
TIMES = range(14, 18)
"""utime, stime, cutime, cstime of /proc/PID/stat, proc_pid_stat(5)."""


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has, without taking note of it: the kernel keeps its times until it is waited for."""
    return process.returncode is not None or os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def wait_and_account(process: subprocess.Popen[bytes]) -> float:
    """Wait until it has ended; returns processor seconds."""
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    # The name of the program, in brackets, may have blanks in it.
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    process.wait()
    return sum(int(fields[number - FIRST_FIELD]) for number in TIMES) / os.sysconf("SC_CLK_TCK")
