"""Files that are there whole or not at all, whoever makes them at the same time.

Each maker works in a folder of its own beside the file, under a name that nobody else has, and renames the finished file. Processes and
threads side by side may make the same file: each makes its own, the last one stays, and readers see one of them.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNFINISHED = "unfinished-"
"""The beginning of the names of folders in which something is being made."""

ABANDONED_S = 3600.0
"""A folder that nobody has written into for so long is nobody's any more: its maker was killed."""


@contextmanager
def unfinished_folder(parent: Path) -> Iterator[Path]:
    """A new folder in ``parent``, which is made if need be; at the end of the block it is gone, with everything still in it.

    Raises:
        OSError: it cannot be made.
    """
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=parent))
    try:
        _forget_abandoned(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def whole_files(parent: Path) -> Iterator[Path]:
    """A new folder; the files that the block leaves in it take their places in ``parent`` at its end. None does if the block raises.

    Each file is replaced at one moment; two files are replaced one after the other.

    Raises:
        OSError: a file cannot be written.
    """
    with unfinished_folder(parent) as folder:
        yield folder
        for file in sorted(folder.iterdir()):
            file.replace(parent / file.name)


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """The file to write instead of ``target``; it takes that place at the end of the block, and does not if the block raises.

    Raises:
        OSError: it cannot be written.
    """
    with whole_files(target.parent) as folder:
        yield folder / target.name


def write_whole(target: Path, content: str | bytes) -> None:
    """Write a file; text is UTF-8.

    Raises:
        OSError: it cannot be written.
    """
    with whole_file(target) as file:
        file.write_bytes(content.encode() if isinstance(content, str) else content)


def is_unfinished(file: Path) -> bool:
    """Whether a file is one that is still being made."""
    return any(name.startswith(UNFINISHED) for name in file.parts)


def _forget_abandoned(new: Path) -> None:
    """By the clock of the files, which may not be that of this process."""
    now_s = new.stat().st_mtime
    for folder in new.parent.glob(f"{UNFINISHED}*"):
        try:
            if now_s - folder.stat().st_mtime > ABANDONED_S:
                shutil.rmtree(folder, ignore_errors=True)
        except FileNotFoundError:
            pass  # its maker is through with it
