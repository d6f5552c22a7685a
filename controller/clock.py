"""The controller's only clock. Everything else is given the time, so that tests (and virtual time) can choose it."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from common.rounds import until_next_round_s


class Clock(Protocol):
    """Tells the time and lets it pass."""

    def now_s(self) -> float:
        """Seconds since some fixed moment; never goes back."""

    async def sleep(self, duration_s: float) -> None:
        """Return when ``duration_s`` seconds have passed."""


class MonotonicClock:
    """The machine's monotonic clock."""

    def now_s(self) -> float:
        """CLOCK_MONOTONIC in seconds: the clock of the hosts' and the switches' samples."""
        return time.monotonic()

    async def sleep(self, duration_s: float) -> None:
        """Sleep in the event loop."""
        await asyncio.sleep(duration_s)


async def next_round(clock: Clock, period_s: float) -> None:
    """Sleep until the clock shows a multiple of ``period_s`` seconds."""
    await clock.sleep(until_next_round_s(clock.now_s(), period_s))
