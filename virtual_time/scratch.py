"""Temporary folders that are gone afterwards, whatever happens: the next process removes those of a killed one.

The process that uses a folder holds a lock on it. The lock ends with the process, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common.write_errors import cannot_write

PREFIX = "nodectl-scratch-"
NEW_PREFIX = "nodectl-new-scratch-"
"""Of a folder before it has its lock and its name."""


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
        folder, lock = _locked_folder(parent)
    except OSError as error:
        raise cannot_write(error) from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _locked_folder(parent: Path | None) -> tuple[Path, int]:
    """A folder that nobody has seen by its name before it was locked: no clock has to say that it is new."""
    while True:
        new = Path(tempfile.mkdtemp(prefix=NEW_PREFIX, dir=parent))
        folder = new.with_name(PREFIX + new.name.removeprefix(NEW_PREFIX))
        try:
            lock = os.open(new, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue  # somebody took it for one that was left
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            new.rename(folder)
        except (BlockingIOError, FileNotFoundError):
            os.close(lock)
        except OSError:
            os.close(lock)
            raise
        else:
            return folder, lock


def remove_left_over(parent: Path | None = None) -> None:
    """Remove the folders of processes that were killed.

    Args:
        parent: where they are; None: in TMPDIR.
    """
    for folder in (parent or Path(tempfile.gettempdir())).glob("nodectl-*"):
        if not folder.name.startswith((PREFIX, NEW_PREFIX)):
            continue
        try:
            if folder.stat().st_uid != os.geteuid():
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
