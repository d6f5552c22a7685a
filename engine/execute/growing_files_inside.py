"""The files of a run in virtual time, inside, while they grow: the outside is told their new parts (growing_files_outside.py)."""

from __future__ import annotations

import os
import zlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

from virtual_time.console import tell

GROWN = "grown"
"""The event: a file has grown."""

AT_ONCE_BYTES = 1 << 20
GROWING = (".csv", ".log", ".jsonl", ".json")
"""Files whose growth is told."""


class GrowthReporter:
    """Follows all files below a folder. Looking changes no digit of a run: nothing here reads a clock or waits.

    Args:
        folder: the result's, inside; names are told relative to it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._told: dict[str, int] = {}

    def tell(self) -> None:
        """Tell the outside the new parts of files."""
        for path, size in self._files(str(self._folder)):
            told = self._told.get(path, 0)
            if size > told:
                self._told[path] = told + self._tell_file(path, told)

    def _files(self, folder: str) -> Iterator[tuple[str, int]]:
        with os.scandir(folder) as found:
            for entry in sorted(found, key=lambda one: one.name):
                if entry.is_dir(follow_symlinks=False):
                    yield from self._files(entry.path)
                elif entry.name.endswith(GROWING):
                    yield entry.path, entry.stat(follow_symlinks=False).st_size

    def _tell_file(self, path: str, told: int) -> int:
        file = os.open(path, os.O_RDONLY)
        try:
            new = os.pread(file, AT_ONCE_BYTES, told)
        finally:
            os.close(file)
        tell(GROWN, file=path[len(str(self._folder)) + 1 :], at=told, data=b64encode(zlib.compress(new, 1)).decode())
        return len(new)
