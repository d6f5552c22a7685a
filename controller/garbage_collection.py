"""When Python looks for garbage: in the housekeeping, never between a packet-in and the packet-outs that it causes.

Left to itself, it looks at all objects now and then while new ones are made: with 10,000 records that takes some 60 ms, just when all of
them are to be reduced.
"""

from __future__ import annotations

import gc
from typing import Final

FULL_EVERY: Final = 600
"""Ticks: what is older than a tick is looked at once in so many."""

_YOUNG: Final = 1
_ALL: Final = 2


class GarbageCollection:
    """Of the whole process; nothing is collected by itself any more once it has begun."""

    def __init__(self) -> None:
        self._ticks = 0

    def begin(self) -> None:
        """To be called once: what is there now stays, and no collection has to look at it again."""
        gc.freeze()
        gc.disable()

    def tick(self) -> None:
        """To be called now and then, while nothing is urgent."""
        if gc.isenabled():
            return
        self._ticks += 1
        gc.collect(_ALL if self._ticks % FULL_EVERY == 0 else _YOUNG)
