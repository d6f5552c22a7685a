"""How long nothing has come from inside, without the time for which other programs of this machine had the processor."""

from __future__ import annotations

import time
from pathlib import Path

NS_PER_S = 1e9
PROCESSES = Path("/proc")
LOOK_INTERVAL_S = 1.0
"""Between two looks at all processes of the machine."""


class Silence:
    """Silence of a kernel and the processes in it.

    Args:
        group: their process group.
    """

    def __init__(self, group: int) -> None:
        self._group = group
        self.heard()

    def heard(self) -> None:
        """It is over, and the next one begins."""
        self._since_s = self._looked_s = time.monotonic()
        self._first_look: tuple[float, float] | None = None

    def lasted_s(self) -> float:
        """Real seconds since then."""
        return time.monotonic() - self._since_s

    def is_longer_than(self, patience_s: float) -> bool:
        """Whether the kernel could have done something for that long: a busy machine's silence is no sign of anything."""
        now_s = time.monotonic()
        if now_s - self._looked_s < min(LOOK_INTERVAL_S, patience_s / 4):
            return False
        self._looked_s, queued_s = now_s, queued_by_group_s(self._group)
        if self._first_look is None:
            self._first_look = now_s, queued_s
        began_s, queued_before_s = self._first_look
        return now_s - began_s - max(0.0, queued_s - queued_before_s) > patience_s


def queued_by_group_s(group: int) -> float:
    """Seconds for which the processes of a group wanted a processor and others had it; 0 where the kernel does not count that."""
    queued_ns = 0
    for folder in PROCESSES.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            # pid (name) state parent group …, and the name may contain anything.
            if int((folder / "stat").read_text().rpartition(")")[2].split()[2]) == group:
                queued_ns += int((folder / "schedstat").read_text().split()[1])
        except (OSError, ValueError, IndexError):
            continue  # gone meanwhile
    return queued_ns / NS_PER_S
