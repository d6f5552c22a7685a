"""Ends a kernel with all its processes, and finds out why one has ended too soon."""

from __future__ import annotations

import os
import signal
import time

from virtual_time.console_reader import Console
from virtual_time.kernel_process import KernelProcess
from virtual_time.process_table import is_running
from virtual_time.processor_time import has_ended, wait_and_account

GONE_S = 1.0
"""Time for the processes of a killed kernel to be gone too."""

TOLD = {
    "The system was going to sleep forever": "everybody inside waits for somebody else, for ever",
    "Initramfs unpacking failed": "the memory inside is too small for the file system",
    "uml_load_file: Failed to allocate": "the memory inside is too small for the file system",
    "System is deadlocked on memory": "the memory inside is used up",
    "Out of memory": "the memory inside is used up",
    "No space left on device": "the disk is full",
    "Kernel panic": "the kernel inside gave up",
}
"""Words on the console of a kernel that ended too soon, and their meaning."""

ENDED_BY = {
    signal.SIGXFSZ: ": files may not be as large here as the memory inside (ulimit -f)",
    signal.SIGBUS: ": no room is left for the memory inside, which is a file in /dev/shm or TMPDIR",
    signal.SIGKILL: ", by somebody, or by this machine's kernel since memory was used up",
}


def end(process: KernelProcess) -> float:
    """End the kernel and the programs in it: its processes end when it does, and are in the process group that it leads.

    Returns:
        The processor seconds that it took.
    """
    if not has_ended(process):
        process.kill()
    processor_s = wait_and_account(process)
    deadline_s = time.monotonic() + GONE_S
    try:
        while time.monotonic() < deadline_s:
            os.killpg(process.pid, signal.SIGKILL)
            if not is_running(process.pid):
                break
            time.sleep(GONE_S / 100)
    except (ProcessLookupError, PermissionError):
        pass  # nobody is there any more
    return processor_s


def reason(process: KernelProcess, console: Console) -> str:
    """Why a kernel has ended before its command did."""
    text = console.error or "\n".join([*console.text, console.rest])
    for words, meaning in TOLD.items():
        if words in text:
            return meaning
    if console.error is not None:
        return console.error
    if is_full(console):
        return full(console)
    code = process.wait()
    if code >= 0:
        return f"its kernel ended with exit code {code}"
    ended_by = signal.Signals(-code)
    return f"its kernel was ended by {ended_by.name}{ENDED_BY.get(ended_by, '')}"


def is_full(console: Console) -> bool:
    """Whether no disk is left for the console."""
    return os.statvfs(console.file).f_bavail == 0


def full(console: Console) -> str:
    """Words for that."""
    return f"the disk is full, at {console.file.parent.parent} (TMPDIR names another folder)"
