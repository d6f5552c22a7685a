"""Python looks for garbage in the housekeeping, never between a packet-in and the packet-outs that it causes.

Left to itself, it looks at all objects now and then while new ones are made. With 10,000 records that takes some 60 ms, just when all of
them are to be reduced.
"""

from __future__ import annotations

import gc
from typing import Final

FULL_EVERY: Final = 600
"""Ticks between two looks at objects that are older than a tick."""

_YOUNG: Final = 1
_ALL: Final = 2


class GarbageCollection:
    """The garbage collection of the whole process; once it has begun, Python collects nothing by itself."""

    def __init__(self) -> None:
        self._ticks = 0

    def begin(self) -> None:
        """To be called once. Objects that exist now stay, and no collection looks at them again."""
        gc.freeze()
        gc.disable()

    def tick(self) -> None:
        """To be called now and then, while nothing is urgent."""
        if gc.isenabled():
            return
        self._ticks += 1
        gc.collect(_ALL if self._ticks % FULL_EVERY == 0 else _YOUNG)
