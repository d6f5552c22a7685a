"""Hand-ins in a folder: one sub-folder each. Their files are never run, followed or believed here, only copied."""

from __future__ import annotations

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from labs.catalogue import Lab

MOST_BYTES = 1 << 20
"""Of one file."""


@dataclass(frozen=True)
class HandIn:
    """The files that somebody has handed in.

    Args:
        name: the sub-folder's.
        folder: its path.
    """

    name: str
    folder: Path

    def place_of(self, lab: Lab) -> Path | None:
        """The folder with a lab's files: the sub-folder itself, ``NN-name`` in it, or ``labs/NN-name``; None if nothing of it is there."""
        for place in (self.folder / "labs" / lab.name, self.folder / lab.name, self.folder):
            if not _leads_away(self.folder, place) and any(_is_there(place / name) for name in lab.declaration.files):
                return place
        return None


def hand_ins(folder: Path) -> list[HandIn]:
    """All of them, by name.

    Raises:
        UserError: there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}", "make grade IN=FOLDER, with a sub-folder for each hand-in")
    found = [HandIn(one.name, one) for one in sorted(folder.iterdir()) if not one.is_symlink() and one.is_dir()]
    if not found:
        raise UserError(f"{folder} has no sub-folders", "there has to be one for each hand-in")
    return found


def copy_files(lab: Lab, place: Path, target: Path) -> str:
    """Copy a lab's files, readable by all; returns what is wrong with them, or nothing.

    A link is not followed, since it could lead to a file of the grader's.
    """
    target.mkdir(parents=True)
    for name in lab.declaration.files:
        try:
            file = os.open(place / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return f"{name} is missing"
        except OSError as error:
            return f"{name} cannot be read: {error.strerror}"
        state = os.fstat(file)
        if not stat.S_ISREG(state.st_mode):
            os.close(file)
            return f"{name} is no file"
        with os.fdopen(file, "rb") as source:
            if state.st_size > MOST_BYTES:
                return f"{name} has more than {MOST_BYTES >> 20} MB"
            with (target / name).open("wb") as copy:
                shutil.copyfileobj(source, copy)
        (target / name).chmod(0o444)
    target.chmod(0o755)
    return ""


def _is_there(path: Path) -> bool:
    return os.path.lexists(path)


def _leads_away(folder: Path, place: Path) -> bool:
    return place.resolve() != folder.resolve() / place.relative_to(folder)
