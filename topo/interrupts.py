"""Signals that ask for an end, kept waiting while something must not be left half done."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Let a clean-up finish: Ctrl-C and SIGTERM wait until the block is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        received.append(number)

    previous = {number: signal.signal(number, remember) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
