"""Waiting for a condition, with a deadline: tests do this instead of sleeping for a time that will do on most machines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

LIMIT_S = 120.0
"""Far beyond what anything here takes, on a busy machine too."""

EVERY_S = 0.01


def wait_for(what: str | Callable[[], str], condition: Callable[[], T], limit_s: float = LIMIT_S, every_s: float = EVERY_S) -> T:
    """The condition's first value that counts as true; it is looked at every ``every_s`` seconds.

    Raises:
        AssertionError: there was none within ``limit_s`` seconds; it says that ``what`` (or the text it then returns) was waited for.
    """
    end_s = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < end_s, f"waited {limit_s:g} s for {what if isinstance(what, str) else what()}"
        time.sleep(every_s)
    return value


async def wait_for_async(what: str, condition: Callable[[], Awaitable[T]], limit_s: float = LIMIT_S) -> T:
    """The same for a condition that has to be awaited, while other tasks of the loop go on.

    Raises:
        AssertionError: there was none within ``limit_s`` seconds; it says that ``what`` was waited for.
    """
    end_s = time.monotonic() + limit_s
    while not (value := await condition()):
        assert time.monotonic() < end_s, f"waited {limit_s:g} s for {what}"
        await asyncio.sleep(EVERY_S)
    return value
