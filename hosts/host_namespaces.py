"""Entering the namespaces of a host, which its shell keeps; for a thread, or for a piece of work."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

ALL = ("net", "mnt")
"""In this order: the host's /proc may not show the process any more."""

_libc = ctypes.CDLL(None, use_errno=True)

Result = TypeVar("Result")


def work_apart(work: Callable[[], Result]) -> Result:
    """Work in a thread of its own, so that the namespaces which it enters are no others'; its result, or its exception."""
    with ThreadPoolExecutor(max_workers=1) as apart:
        return apart.submit(work).result()


def enter(pid: int, kinds: Sequence[str] = ALL) -> None:
    """Enter those of a process, for this thread alone; the working folder stays.

    Args:
        pid: the host's shell.
        kinds: of namespaces, as in ``/proc/PID/ns``.

    Raises:
        OSError: the process is gone, or this user may not.
    """
    folder = os.getcwd()  # noqa: PTH109 - pathlib is not needed here
    namespaces = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in kinds]
    for namespace in namespaces:
        if _libc.setns(namespace, 0) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        os.close(namespace)
    if "mnt" in kinds:
        os.chdir(folder)
