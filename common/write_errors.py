"""Errors of writing, for people: the file or folder that cannot be written, and a remedy."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path

from common.errors import UserError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_REMEDIES = {
    **dict.fromkeys(_FULL, "make room there, or name another folder in TMPDIR"),
    errno.EFBIG: "allow larger files: `ulimit -f unlimited`",
}
_CANNOT_WRITE = (*_FULL, errno.EFBIG, errno.EROFS, errno.EACCES)


def is_about_writing(error: OSError) -> bool:
    """Whether it is about a file or folder, which it names, that cannot be written."""
    return error.errno in _CANNOT_WRITE and bool(error.filename)


def cannot_write(error: OSError) -> UserError:
    """The error for people; one that does not say where it happened was in the folder for temporary files."""
    # An error of copying names the source first; shutil.copytree collects (source, target, text) of all errors.
    where, why = error.filename2 or error.filename or tempfile.gettempdir(), error.strerror
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list) and error.args[0]:
        _, where, why = error.args[0][0]
    number = errno.ENOSPC if error.errno in _FULL or os.strerror(errno.ENOSPC) in str(why) else error.errno
    why = os.strerror(errno.ENOSPC) if number == errno.ENOSPC else why
    return UserError(f"cannot write {where}: {why or error}", _remedy(number))


def cannot_make(file: Path, error: OSError) -> UserError:
    """The error for people: a file that is made from others cannot be.

    Args:
        file: to be made.
        error: of writing it, or of reading one of the others, which it names.
    """
    where = f" ({error.filename})" if error.filename else ""
    return UserError(f"cannot make {file}: {error.strerror or error}{where}", _remedy(error.errno))


def _remedy(number: int | None) -> str:
    return _REMEDIES.get(number or 0, "")
