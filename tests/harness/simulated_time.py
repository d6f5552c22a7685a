"""An asyncio event loop whose time passes only while nothing can be done: exact, and as fast as it can be computed."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.SelectSelector):
    """Waits for nothing: the time that it was to wait has passed at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise RuntimeError("all tasks wait for each other")
            self.now_s += timeout
        return ready


class _SimulatedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now_s


class SimulatedClock:
    """The clock of the loop that runs; a ``controller.clock.Clock``."""

    def now_s(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, duration_s: float) -> None:
        await asyncio.sleep(duration_s)

    async def until(self, at_s: float) -> None:
        await asyncio.sleep(at_s - self.now_s())


def run_simulated(main: Coroutine[Any, Any, T]) -> T:
    """As ``asyncio.run``, beginning at time 0."""
    with asyncio.Runner(loop_factory=_SimulatedLoop) as runner:
        return runner.run(main)
