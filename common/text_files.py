"""Text files that people give: read as UTF-8, with one message for each way in which that can go wrong."""

from __future__ import annotations

from pathlib import Path

from common.errors import UserError
from common.shown_path import shown


def read_text(file: Path, *, key: str = "", missing: str = "", not_text: str = "") -> str:
    """The text of a file, with its line ends as they are.

    Args:
        file: a text in UTF-8.
        key: of another file, that names this one; it stands before the path.
        missing: the remedy for a file that cannot be read.
        not_text: the remedy for one that is not UTF-8.

    Raises:
        UserError: it cannot be read, or is no text; the message names it.
    """
    where = f"{key}: {shown(file)}" if key else shown(file)
    try:
        return file.read_bytes().decode("utf-8")
    except OSError as error:
        raise UserError(f"{where}: {error.strerror}", missing) from None
    except UnicodeDecodeError:
        raise UserError(f"{where}: this is not a text file", not_text) from None
