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
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """An empty folder, removed in the end.

    Args:
        parent: where; None: in TMPDIR.

    Raises:
        UserError: it cannot be made.
    """
    remove_left_over(parent)
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    except OSError as error:
        raise cannot_write(error) from None
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def remove_left_over(parent: Path | None = None) -> None:
    """Remove the folders of processes that were killed.

    Args:
        parent: where they are; None: in TMPDIR.
    """
    for folder in (parent or Path(tempfile.gettempdir())).glob(f"{PREFIX}*"):
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
