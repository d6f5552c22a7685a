"""Reading a text file that grows: the whole lines that have come since the last look."""

from __future__ import annotations

from pathlib import Path

AT_ONCE_BYTES = 1 << 20


class Tail:
    """The lines of a file that may not be there yet.

    A file that is replaced by a longer one with the same beginning goes on where it was; one that has become shorter begins anew.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._position = 0
        self._rest = b""

    def lines(self) -> list[bytes]:
        """Whole lines that are new, without their ends; not more than a megabyte at once."""
        try:
            with self.path.open("rb") as stream:
                if stream.seek(0, 2) < self._position:
                    self._position, self._rest = 0, b""
                stream.seek(self._position)
                new = stream.read(AT_ONCE_BYTES)
        except OSError:
            return []
        self._position += len(new)
        *lines, self._rest = (self._rest + new).split(b"\n")
        return lines
