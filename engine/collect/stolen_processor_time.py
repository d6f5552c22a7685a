"""Processor time that the hypervisor gave to others: its loss stops hosts as well as links, and shows in no link's counters."""

from __future__ import annotations

from pathlib import Path

STAT = Path("/proc/stat")
STEAL_COLUMN = 7
COUNTED_COLUMNS = 8
"""user, nice, system, idle, iowait, irq, softirq, steal; guest time is in user and nice already (proc(5))."""


class StolenTimeMeter:
    """Measures from when it is made."""

    def __init__(self, stat: Path = STAT) -> None:
        self._stat = stat
        self._begin = self._read()

    def share(self) -> float:
        """Part of all processors' time since the beginning that was stolen, 0 to 1; 0 where the kernel does not say."""
        taken, everything = (now - before for now, before in zip(self._read(), self._begin, strict=True))
        return taken / everything if everything > 0 else 0.0

    def _read(self) -> tuple[int, int]:
        try:
            words = self._stat.read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
        except OSError:
            return 0, 0
        columns = [int(word) for word in words[:COUNTED_COLUMNS]]
        return (columns[STEAL_COLUMN] if len(columns) == COUNTED_COLUMNS else 0), sum(columns)
