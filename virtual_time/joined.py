"""The memory and the clock that several kernels have in common, since they run one network (docs/several-kernels.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

OWN_CLOCK = "time-travel=inf-cpu"
"""A kernel's argument for a clock that nobody else moves."""

MEMORY_LINK, CALENDAR_LINK = "memory", "calendar"
"""Names in the job's folder. The kernel's command has no path of this machine (virtual_time/boot.py)."""


@dataclass(frozen=True)
class Joined:
    """How a kernel is joined to others. It has to have the driver ``mmapper``.

    Args:
        number: of this kernel.
        memory: a file that all of them map; inside it is ``/dev/mmapper``.
        calendar: socket of the process that says how far each clock may go; None: nobody does.
    """

    number: int
    memory: Path
    calendar: Path | None = None

    def link_into(self, folder: Path) -> None:
        """Put links to both into the job's folder.

        Raises:
            OSError: one cannot be made.
        """
        (folder / MEMORY_LINK).symlink_to(self.memory)
        if self.calendar is not None:
            (folder / CALENDAR_LINK).symlink_to(self.calendar)

    def kernel_arguments(self) -> list[str]:
        """The kernel's arguments for its clock and the memory."""
        clock = OWN_CLOCK if self.calendar is None else f"time-travel=ext:{self.number}:{CALENDAR_LINK}"
        return [clock, f"iomem=mmapper,{MEMORY_LINK}"]
