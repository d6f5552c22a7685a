"""The controller's cost of computing, where that is a parameter: events wait for one processor, one after the other.

In virtual time computing takes no time at all, and a controller would answer at once whatever it had to do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Final

from controller.clock import Clock

AT_ONCE: Final = nullcontext()


@dataclass(frozen=True)
class ComputingCost:
    """Seconds."""

    event_s: float = 0.0
    """For each packet-in and each command."""
    record_s: float = 0.0
    """For each entry of the packet-outs."""
    channel_s: float = 0.0
    """One way between the controller and a switch."""

    def __bool__(self) -> bool:
        return bool(self.event_s or self.record_s or self.channel_s)


class Processor:
    """The processor of a controller, which all of its sessions share.

    Args:
        cost: of computing; the channel's part is no matter of the processor.
        clock: times the costs.
    """

    def __init__(self, cost: ComputingCost, clock: Clock) -> None:
        self._cost = cost
        self._clock = clock
        self._free = asyncio.Lock()
        self.takes_time = bool(cost.event_s or cost.record_s)
        """Whether there is anything to wait for; where not, nobody is kept from anything."""

    def turn(self, events: int = 0) -> AbstractAsyncContextManager[None]:
        """The processor for as long as the context lasts, after all who asked for it before, and after computing so many events."""
        return self._turn(events) if self.takes_time else AT_ONCE

    async def compute_entries(self, count: int) -> None:
        """Compute so many entries of packet-outs; to be called within a turn."""
        if self._cost.record_s and count:
            await self._clock.sleep(count * self._cost.record_s)

    @asynccontextmanager
    async def _turn(self, events: int) -> AsyncIterator[None]:
        async with self._free:  # tasks get an asyncio.Lock in the order of asking
            if self._cost.event_s and events:
                await self._clock.sleep(events * self._cost.event_s)
            yield
