"""Processor time of a child process, with that of its own children that it has waited for."""

from __future__ import annotations

import os

from virtual_time.kernel_process import KernelProcess
from virtual_time.process_table import processor_s


def has_ended(process: KernelProcess) -> bool:
    """Whether a process has ended, without waiting for it, since the kernel would then forget its times."""
    return process.returncode is not None or os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def wait_and_account(process: KernelProcess) -> float:
    """Wait until it has ended; returns processor seconds."""
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    taken_s = processor_s(process.pid, with_children=True)
    process.wait()
    return taken_s
