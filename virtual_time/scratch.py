"""Temporary folders that are gone afterwards, whatever happens: those of a process that was killed, the next one removes.

Whoever uses a folder holds a lock on it, which ends with the process, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protocol.write_errors import cannot_write

PREFIX = "nodectl-scratch-"
NEW_S = 10.0
"""A folder may be without its lock for the moment after it was made."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder in TMPDIR, removed in the end.

    Raises:
        UserError: it cannot be made.
    """
    _remove_left_over(Path(tempfile.gettempdir()))
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    except OSError as error:
        raise cannot_write(error) from None
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _remove_left_over(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            state = folder.stat()
            if state.st_uid != os.geteuid() or time.time() - state.st_mtime < NEW_S:
                continue
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # somebody is at work in it
        finally:
            os.close(lock)
