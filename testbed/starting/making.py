"""``testbed new FOLDER``: a copy of a template, whose page has the folder in its commands."""

from __future__ import annotations

from pathlib import Path

from common.errors import UserError
from common.shown_path import shown
from common.write_errors import cannot_write
from testbed.starting.catalogue import PAGE, Template

PLACE = "FOLDER"
"""The word that stands in a template's page for the new folder."""


def make_folder(folder: Path, template: Template) -> list[Path]:
    """Copy a template's files.

    Args:
        folder: a new one, or one that is empty.
        template: the one to copy.

    Returns:
        The files, by their places in the folder.

    Raises:
        UserError: the folder is not empty, is no folder, or cannot be written.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            what = "is not empty" if folder.is_dir() else "is no folder"
            raise UserError(f"{shown(folder)} {what}; nothing was changed", "give the name of a new folder")
        for file in template.files:
            place = folder / file
            place.parent.mkdir(parents=True, exist_ok=True)
            content = (template.folder / file).read_bytes()
            place.write_bytes(content.replace(PLACE.encode(), shown(folder).encode()) if str(file) == PAGE else content)
    except OSError as error:
        raise cannot_write(error) from None
    return template.files
