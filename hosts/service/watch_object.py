"""The compiled program that watches connections: built by clang where there is one, brought along where there is none."""

from __future__ import annotations

import os
from pathlib import Path

from common.errors import UserError
from common.installation import BROUGHT, INSTALLED
from hosts.cca.build import OBJECT_FOLDER, compile_bpf

SOURCE = Path(__file__).with_name("connection_watch.bpf.c")
OBJECT_VARIABLE = "NODECTL_WATCH_OBJECT"
"""The program that boots a user-mode kernel names the object in it: inside there is no compiler."""


def watch_object(folder: Path = OBJECT_FOLDER) -> Path:
    """The object, compiled if need be.

    Raises:
        UserError: it cannot be compiled, or the one that was brought along is not there.
    """
    brought = os.environ.get(OBJECT_VARIABLE)
    name = SOURCE.with_suffix(".o").name
    if brought is None and INSTALLED is not None:
        return BROUGHT / "cca" / name
    if brought is None:
        return compile_bpf(SOURCE, folder / name)
    if not Path(brought).exists():
        raise UserError(f"there is no {brought} ({OBJECT_VARIABLE})", "name it where the kernel is booted")
    return Path(brought)
