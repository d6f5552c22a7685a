"""Event loops whose timers are exact: asyncio's usual one waits with epoll, in whole milliseconds, and how it rounds is Python's version's.

A host that starts up to a millisecond late, or a little later with another Python, has other samples in virtual time.
"""

from __future__ import annotations

import asyncio
import ctypes
import math
import os
import selectors
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from common.units import NS_PER_S

Result = TypeVar("Result")

_TFD_TIMER_ABSTIME = 1
_EXPIRIES_BYTES = 8

_libc = ctypes.CDLL(None, use_errno=True)


class _Moment(ctypes.Structure):
    """struct itimerspec: nothing is repeated."""

    _fields_ = (("interval_s", ctypes.c_long), ("interval_ns", ctypes.c_long), ("at_s", ctypes.c_long), ("at_ns", ctypes.c_long))


class FineSelector(selectors.EpollSelector):
    """Waits with epoll for descriptors, and for a timerfd among them, to the nanosecond.

    Raises:
        OSError: the process has as many descriptors as it may have.
    """

    def __init__(self) -> None:
        super().__init__()
        self._due_ns = 0
        self._timer = _libc.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._timer < 0:
            raise OSError(ctypes.get_errno(), "no timer is to be had")
        self.register(self._timer, selectors.EVENT_READ)

    def close(self) -> None:
        """Give both descriptors back."""
        super().close()
        os.close(self._timer)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """The descriptors that are ready, after at most ``timeout`` seconds; None waits for one."""
        if timeout is not None and timeout > 0:
            self._wake_at(time.monotonic_ns() + math.ceil(timeout * NS_PER_S))
            timeout = None
        ready = super().select(timeout)
        others = [(key, events) for key, events in ready if key.fd != self._timer]
        if len(others) < len(ready):
            os.read(self._timer, _EXPIRIES_BYTES)
            self._due_ns = 0
        return others

    def _wake_at(self, due_ns: int) -> None:
        if due_ns == self._due_ns:
            return
        moment = _Moment(0, 0, *divmod(due_ns, NS_PER_S))
        if _libc.timerfd_settime(self._timer, _TFD_TIMER_ABSTIME, ctypes.byref(moment), None) != 0:
            raise OSError(ctypes.get_errno(), "the timer cannot be set")
        self._due_ns = due_ns


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """:func:`asyncio.run`, with exact timers.

    Raises:
        BaseException: ``main`` raised it.
    """
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(FineSelector())) as runner:
        return runner.run(main)
