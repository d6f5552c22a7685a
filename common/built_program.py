"""The toolchain and the P4 program, which `make setup` builds; `make run` builds the parts that it needs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from common.errors import UserError
from common.installation import BINARIES


def check_built(files: Iterable[Path]) -> None:
    """All these files are built.

    Raises:
        UserError: some are not; it names them.
    """
    missing = [str(file) for file in files if not file.exists()]
    if missing:
        raise UserError(f"not built yet: {', '.join(missing)}", "run `make setup`")


def built_program(name: str, folder: Path = BINARIES) -> Path:
    """The file of a program of the toolchain.

    Args:
        name: such as ``p4test``.
        folder: of the built programs.

    Raises:
        UserError: it is not built yet.
    """
    file = folder / name
    check_built((file,))
    return file
