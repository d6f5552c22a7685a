"""Folders in which a student works where the testbed was installed: the files that a lab begins with, without solutions."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from common.errors import UserError
from common.installation import PROJECT
from common.shown_path import shown
from common.write_errors import cannot_write
from labs.catalogue import CHECKS, DECLARATION, README, SOLUTION, WRONG, Lab

NOT_COPIED = {SOLUTION, WRONG, DECLARATION, CHECKS, "__pycache__"}
_MAKE = re.compile(r"\bmake (?=[a-z-]+\b)")
_PYTHON = re.compile(r"\.venv/bin/python -m testbed\b")
_PROGRAM = re.compile(r"\.venv/bin/python\b")


def write_lab(lab: Lab, folder: Path) -> Path:
    """Copy the files that a student begins with into a folder of the lab's own below ``folder``.

    Args:
        lab: the one to begin.
        folder: made if need be.

    Returns:
        The lab's own folder.

    Raises:
        UserError: it is there already, or cannot be written.
    """
    target = folder / lab.name
    if target.exists():
        raise UserError(f"{shown(target)} is there already; nothing was changed", "give another folder, or remove that one")
    try:
        shutil.copytree(lab.folder, target, ignore=lambda _folder, names: NOT_COPIED & set(names))
        page = target / README
        page.write_text(with_installed_commands(page.read_text(encoding="utf-8"), lab, target), encoding="utf-8")
    except OSError as error:
        raise cannot_write(error) from None
    return target


def write_labs(labs: Iterable[Lab], folder: Path) -> list[Path]:
    """:func:`write_lab` for several."""
    return [write_lab(lab, folder) for lab in labs]


def with_installed_commands(text: str, lab: Lab, folder: Path) -> str:
    """A page's commands as they are typed where the testbed was installed, with the student's folder in them; its links lead out of it."""
    text = text.replace("](../../", f"]({PROJECT}/").replace(f"labs/{lab.name}", shown(folder))
    text = text.replace(f"results/{shown(folder)}", f"results/labs/{lab.name}")
    text = _MAKE.sub("testbed ", _PYTHON.sub("testbed", text))
    text = _PROGRAM.sub("testbed python", text)
    return re.sub(rf"\btestbed lab LAB={lab.number}\b", f"testbed lab LAB={lab.number} FROM={shown(folder)}", text)
