"""The one place where the programs on a host read the clock, sleep and draw random numbers.

Times are CLOCK_MONOTONIC: seconds as float, or integer nanoseconds where they are written to samples.
"""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import time

from common.units import NS_PER_S

SEED_VARIABLE = "NODECTL_SEED"
"""Environment variable: with it, content ids are drawn from this seed instead of the system's entropy."""


def now_ns() -> int:
    """Now, in nanoseconds of CLOCK_MONOTONIC."""
    return time.monotonic_ns()


def now_s() -> float:
    """Now, in seconds of CLOCK_MONOTONIC."""
    return time.monotonic_ns() / NS_PER_S


def sleep_until_ns(deadline_ns: int) -> None:
    """Blocks the calling thread until ``deadline_ns``; returns at once if that has passed."""
    remaining = deadline_ns - time.monotonic_ns()
    if remaining > 0:
        time.sleep(remaining / NS_PER_S)


async def sleep_until(deadline_s: float) -> None:
    """Waits (asyncio) until ``deadline_s``, as exactly as the event loop can (common/fine_timers.py)."""
    remaining = deadline_s - now_s()
    if remaining > 0:
        await asyncio.sleep(remaining)


def random_content_id(salt: str) -> int:
    """A content id of 64 random bits that nobody can guess; never 0.

    Args:
        salt: distinguishes transmissions where the seed is fixed by ``NODECTL_SEED``; unused otherwise.
    """
    seed = os.environ.get(SEED_VARIABLE)
    bits = secrets.randbits(64) if seed is None else random.Random(f"{seed}/{salt}").getrandbits(64)
    return bits or 1
