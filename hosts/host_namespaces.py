"""The namespaces of a host: made with a thread that keeps them, and entered by other threads."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

ALL = ("net", "mnt")
"""In this order: the host's /proc may not show the process any more."""

CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000
"""<linux/sched.h>"""
MS_REC, MS_PRIVATE = 0x4000, 1 << 18
"""<linux/mount.h>"""

_libc = ctypes.CDLL(None, use_errno=True)

Result = TypeVar("Result")


class HostNamespaces:
    """New network and mount namespaces. A thread of this process is in them, and they last as long as it.

    A process for each host would do as well, and costs tens of times as much.

    Raises:
        OSError: this user may not make any.
    """

    def __init__(self) -> None:
        self._inside = ThreadPoolExecutor(max_workers=1)
        self.thread_id: int = self.work(_leave_for_new)
        """As for a process, ``/proc/THREAD_ID/ns`` has the namespaces."""

    def work(self, work: Callable[[], Result]) -> Result:
        """Work inside; its result, or its exception."""
        return self._inside.submit(work).result()

    def close(self) -> None:
        """Leave the namespaces. They end with the last process that is in them."""
        self._inside.shutdown()


def _leave_for_new() -> int:
    """The number of this thread, which is in new namespaces from now on.

    Others do not see its mounts; its /sys shows its own interfaces.
    """
    _check(_libc.unshare(CLONE_NEWNS | CLONE_NEWNET))
    _check(_libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
    _check(_libc.mount(b"sysfs", b"/sys", b"sysfs", 0, None))
    return threading.get_native_id()


def _check(status: int) -> None:
    if status != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def work_apart(work: Callable[[], Result]) -> Result:
    """Work in a thread of its own, so that the namespaces which it enters are no others'; its result, or its exception."""
    with ThreadPoolExecutor(max_workers=1) as apart:
        return apart.submit(work).result()


def enter(pid: int, kinds: Sequence[str] = ALL) -> None:
    """Enter those of a process, for this thread alone; the working folder stays.

    Args:
        pid: the process, or its thread.
        kinds: of namespaces, as in ``/proc/PID/ns``.

    Raises:
        OSError: the process is gone, or this user may not.
    """
    folder = os.getcwd()  # noqa: PTH109 - pathlib is not needed here
    namespaces = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in kinds]
    for namespace in namespaces:
        _check(_libc.setns(namespace, 0))
        os.close(namespace)
    if "mnt" in kinds:
        os.chdir(folder)
