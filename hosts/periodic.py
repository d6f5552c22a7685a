"""A thread that calls a function at fixed times, for samples."""

from __future__ import annotations

import threading
from collections.abc import Callable

from common.units import NS_PER_S
from hosts import clock

SAMPLE_INTERVAL_S = 0.01
"""Between two looks at a connection, unless a plan or a command says otherwise."""


class Periodic:
    """Calls ``tick`` every ``interval_s`` seconds from its own thread until :meth:`stop`.

    A tick that comes late does not shift the following ones; those that were missed altogether are left out.
    """

    def __init__(self, interval_s: float, tick: Callable[[], None], name: str) -> None:
        self._interval_ns = round(interval_s * NS_PER_S)
        self._tick = tick
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread and waits for it (one interval at most)."""
        self._stopping = True
        self._thread.join()

    def _run(self) -> None:
        due_ns = clock.now_ns()
        while not self._stopping:
            self._tick()
            due_ns += self._interval_ns
            late_ns = clock.now_ns() - due_ns
            if late_ns > 0:
                due_ns += late_ns // self._interval_ns * self._interval_ns
            clock.sleep_until_ns(due_ns)
