"""Which path a transmission asks next when it has been refused (Liu et al. 2023, Algorithm 3, line 6). Pure: no sockets, no clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from hosts.sender_negotiation import Timing

PathT = TypeVar("PathT")


@dataclass
class PathTurns(Generic[PathT]):
    """Every path is asked once, one after the other; when all have refused, it waits, and asks the first one again.

    Args:
        paths: in the order in which they are asked, at least one.
        timing: how long it waits, as where there is one path alone.
    """

    paths: Sequence[PathT]
    timing: Timing = field(default_factory=Timing)
    attempt: int = 0
    """Counts what was asked before."""
    _wait_s: float = 0.0

    @property
    def path(self) -> PathT:
        """The one to be asked now."""
        return self.paths[self.attempt % len(self.paths)]

    def refused(self) -> float:
        """The present path has refused; the next one is to be asked after so many seconds."""
        self.attempt += 1
        if self.attempt % len(self.paths):
            return 0.0
        self._wait_s = self.timing.next_wait_s(self._wait_s)
        return self._wait_s
