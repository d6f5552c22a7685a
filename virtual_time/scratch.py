"""Temporary folders that are gone afterwards, whatever happens: those of a process that was killed, the next one removes.

Whoever uses a folder holds a lock on it, which ends with the process, however that ends.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protocol.errors import UserError

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


def cannot_write(error: OSError) -> UserError:
    """The error for people: which file or folder it was, and what would help."""
    # shutil.copytree collects (source, target, text) of all files that went wrong
    where, why = error.filename, error.strerror
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list) and error.args[0]:
        _, where, why = error.args[0][0]
    full = error.errno in (errno.ENOSPC, errno.EDQUOT) or os.strerror(errno.ENOSPC) in str(why)
    why = os.strerror(errno.ENOSPC) if full else why
    place = str(where or tempfile.gettempdir())
    return UserError(f"cannot write {place}: {why or error}", "make room there, or name another folder in TMPDIR" if full else "")


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
