"""Errors of writing name the file and the remedy."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from common.write_errors import cannot_make, cannot_write


def error(number: int, file: str | None = None) -> OSError:
    return OSError(number, os.strerror(number), file)


@pytest.mark.parametrize(
    ("number", "remedy"), [(errno.ENOSPC, "make room"), (errno.EDQUOT, "make room"), (errno.EFBIG, "ulimit -f"), (errno.EROFS, "")]
)
def test_what_to_do(number: int, remedy: str) -> None:
    for said in (cannot_write(error(number, "out")), cannot_make(Path("out"), error(number))):
        assert "out: " in said.what
        assert remedy in said.remedy
        assert bool(said.remedy) == bool(remedy)


def test_the_file_that_was_read_is_named() -> None:
    assert str(cannot_make(Path("image"), error(errno.EACCES, "part"))) == "cannot make image: Permission denied (part)"
    assert str(cannot_make(Path("image"), OSError("no number"))) == "cannot make image: no number"
