"""How long nothing has come from a kernel of virtual time, without the time for which other programs of this machine had the processor."""

from __future__ import annotations

import time

from virtual_time.process_table import GROUP, PROCESSES, processes, stat_fields

NS_PER_S = 1e9
LOOK_INTERVAL_S = 1.0
"""Between two looks at all processes of the machine."""


class KernelSilence:
    """Silence of a kernel and the processes in it.

    Args:
        group: their process group.
    """

    def __init__(self, group: int) -> None:
        self._group = group
        self.heard()

    def heard(self) -> None:
        """End this silence, and begin the next one."""
        self._since_s = self._looked_s = time.monotonic()
        self._began_s: float | None = None
        self._before_s: dict[int, float] = {}
        self._queued_s = 0.0

    def lasted_s(self) -> float:
        """Real seconds since it began."""
        return time.monotonic() - self._since_s

    def is_longer_than(self, patience_s: float) -> bool:
        """Whether the kernel could have done something for that long: a busy machine's silence is no sign of anything."""
        now_s = time.monotonic()
        if now_s - self._looked_s < min(LOOK_INTERVAL_S, patience_s / 4):
            return False
        self._looked_s, queued_s = now_s, queued_in_group_s(self._group)
        if self._began_s is None:
            self._began_s = now_s
        else:
            # The waiting of a process since the last look is lost if it has ended by now.
            self._queued_s += sum(lasted_s - self._before_s.get(process, 0.0) for process, lasted_s in queued_s.items())
        self._before_s = queued_s
        return now_s - self._began_s - self._queued_s > patience_s


def queued_in_group_s(group: int) -> dict[int, float]:
    """Seconds for which each process of a group, by number, wanted a processor and others had it; 0 where that is not counted."""
    queued_s = {}
    for process in processes():
        if stat_fields(process, GROUP) != [group]:
            continue
        try:
            queued_s[process] = int((PROCESSES / str(process) / "schedstat").read_text().split()[1]) / NS_PER_S
        except (OSError, ValueError, IndexError):
            continue  # gone meanwhile
    return queued_s
