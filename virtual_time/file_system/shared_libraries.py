"""The shared libraries that programs need, as the loader of this machine finds them."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from common.errors import UserError
from virtual_time.file_system.remembered_answers import DPKG, remembered

FOUND = re.compile(r"^\s*(?:\S+ => )?(/.+) \(0x[0-9a-f]+\)$", re.MULTILINE)
MISSING = re.compile(r"^\s*(\S+) => not found$", re.MULTILINE)
PRELOADED = "LD_PRELOAD"
"""Names libraries that are loaded into every program of this machine, ldd too, and into none inside."""

SEARCHED_FIRST = "LD_LIBRARY_PATH"
LOADER_CACHE = Path("/etc/ld.so.cache")
ELF_MAGIC = b"\x7fELF"


def is_elf(file: Path) -> bool:
    """Whether it is a program or a shared library."""
    with file.open("rb") as stream:
        return stream.read(len(ELF_MAGIC)) == ELF_MAGIC


def needed_libraries(files: Iterable[Path], *, may_be_missing: bool = False) -> list[Path]:
    """The libraries that programs and libraries are loaded with, directly or not, and the loader itself; sorted.

    Args:
        files: programs and libraries.
        may_be_missing: leave out libraries that are not installed.

    Raises:
        UserError: one of them is not installed.
    """
    files = list(files)
    if not files:
        return []

    def ask() -> str:
        # ldd takes many files at once; one that is linked statically makes it exit with an error, which does not matter.
        environment = {name: value for name, value in os.environ.items() if name != PRELOADED}
        said = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True, check=False, env=environment).stdout
        missing = MISSING.findall(said)
        if missing and not may_be_missing:
            raise UserError(
                f"shared libraries are not installed: {', '.join(sorted(set(missing)))}", "install the Debian packages that have them"
            )
        return said

    question = ["ldd", str(may_be_missing), os.environ.get(SEARCHED_FIRST, ""), *map(str, files)]
    return _found(remembered(question, [*files, LOADER_CACHE, *DPKG], ask, _found))


def _found(said: str) -> list[Path]:
    return sorted({Path(one) for one in FOUND.findall(said)})
