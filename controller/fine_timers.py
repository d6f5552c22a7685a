"""An event loop whose timers are as fine as the costs of computing: asyncio's usual one waits with epoll, in whole milliseconds."""

from __future__ import annotations

import asyncio
import contextlib
import selectors
from pathlib import Path

SLACK_NS = 1
"""How late the kernel may wake the loop to save wake-ups; 50 µs unless told."""


def event_loop() -> asyncio.AbstractEventLoop:
    """A loop that waits with select(2), in microseconds. It costs more for each of its descriptors; a controller has few."""
    with contextlib.suppress(OSError):
        Path("/proc/self/timerslack_ns").write_text(str(SLACK_NS))
    return asyncio.SelectorEventLoop(selectors.SelectSelector())
