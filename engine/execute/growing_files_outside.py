"""The files of a run in virtual time, outside, while they grow inside (docs/live-page.md)."""

from __future__ import annotations

import shutil
import zlib
from base64 import b64decode
from pathlib import Path

from virtual_time.console import Event


class GrowingFilesWriter:
    """Writes new parts of files, told by engine/execute/growing_files_inside.py, to where the files will be in the end.

    Args:
        logs: folder for the files of a folder of ``logs`` inside.
        scratch: folder for the files in ``scratch`` inside.
    """

    def __init__(self, logs: Path, scratch: Path) -> None:
        self._logs, self._scratch = logs, scratch

    def begin(self) -> None:
        """The run begins, or begins again: there is nothing of it yet."""
        shutil.rmtree(self._logs, ignore_errors=True)

    def take(self, event: Event) -> None:
        """A file has grown.

        Raises:
            OSError: it cannot be written.
        """
        kind, _, path = str(event["file"]).partition("/")
        if kind == "logs":
            file = self._logs / path.partition("/")[2]
        elif kind == "scratch":
            file = self._scratch / path
        else:
            return
        write_grown(file, event)


def write_grown(file: Path, event: Event) -> None:
    """Write the new part of a file.

    Args:
        file: where it is outside; its folder is made.
        event: the one that engine/execute/growing_files_inside.py has told.

    Raises:
        OSError: it cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("r+b" if file.exists() else "w+b") as stream:
        stream.seek(int(event["at"]))
        stream.write(zlib.decompress(b64decode(event["data"])))
