"""The programs of the toolchain, which `make setup` builds; `make run` builds the two that it needs."""

from __future__ import annotations

from pathlib import Path

from common.errors import UserError
from common.installation import BINARIES


def built_program(name: str, folder: Path = BINARIES) -> Path:
    """The file of a program.

    Args:
        name: such as ``p4test``.
        folder: of the built programs.

    Raises:
        UserError: it is not built yet.
    """
    file = folder / name
    if not file.exists():
        raise UserError(f"{name} is not built yet", "run `make setup`")
    return file
