"""The process of a kernel on this machine, however it was made."""

from __future__ import annotations

import os
import signal
from typing import Protocol


class KernelProcess(Protocol):
    """A kernel's process on this machine."""

    pid: int
    returncode: int | None

    def send_signal(self, sig: int) -> None:
        """Send it a signal."""

    def kill(self) -> None:
        """End it."""

    def wait(self) -> int:
        """Its exit code, once it has ended; negative: the number of a signal."""


class CopiedKernel:
    """The process of a copy.

    Args:
        pid: of the process, a child of this one.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def send_signal(self, sig: int) -> None:
        """Send it a signal; nothing happens if it has been waited for."""
        if self.returncode is None:
            os.kill(self.pid, sig)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def wait(self) -> int:
        """Its exit code, once it has ended; negative: the number of a signal."""
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode
