"""How often each program inside was entered and left, counted by the kernel of virtual time (``ENTRIES=1``): the costs of a run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from common.errors import UserError
from common.text_files import read_text

FILE = "entries.json"
"""Beside the logs of a cell."""

COUNTED = Path("/proc/entries")
"""``TIMES CAUSE PROGRAM``: a system call's number, ``fault`` or ``map`` (virtual_time/kernel/patches/0013-count-entries.patch)."""

_Counts = Counter[tuple[str, str]]


class Entry(BaseModel):
    """Of one program, for one cause: a system call's number, ``fault`` (of a page) or ``map`` (memory of its process was laid out)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    program: str
    cause: str
    bring_up: int
    run: int


class EntryCounts(BaseModel):
    """Of a cell: until its run began, and from there to its end; ``frames`` were sent by all links meanwhile."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    frames: int
    entries: list[Entry]

    @classmethod
    def kept_in(cls, folder: Path) -> EntryCounts | None:
        """The counts of a cell; None: nothing was counted.

        Args:
            folder: of its logs.

        Raises:
            UserError: the file cannot be read.
        """
        file = folder / FILE
        return cls.model_validate_json(read_text(file)) if file.exists() else None


class EntryCounter:
    """Inside: counts from the start of the kernel to now, and from now on.

    Args:
        counted: the kernel's file; where it is not there, nothing is counted.
    """

    def __init__(self, counted: Path = COUNTED) -> None:
        self._file = counted
        self._bring_up = self._read()

    def close(self, frames: int, folder: Path) -> None:
        """Write the counts into the cell's folder.

        Args:
            frames: that all links have sent since this was made.
            folder: of the cell's logs.

        Raises:
            UserError: it cannot be written.
        """
        if self._bring_up is None or (now := self._read()) is None:
            return
        entries = [
            Entry(program=program, cause=cause, bring_up=self._bring_up[program, cause], run=times - self._bring_up[program, cause])
            for (program, cause), times in sorted(now.items())
        ]
        try:
            (folder / FILE).write_text(EntryCounts(frames=frames, entries=entries).model_dump_json(indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"cannot write {folder / FILE}: {error.strerror}") from error

    def _read(self) -> _Counts | None:
        if not self._file.exists():
            return None
        counts: _Counts = Counter()
        for line in self._file.read_text(encoding="utf-8", errors="replace").splitlines():
            times, cause, program = line.split(" ", 2)
            counts[program, cause] += int(times)
        return counts
