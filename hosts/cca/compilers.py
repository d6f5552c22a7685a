"""The C compilers of this machine, chosen by their abilities: versions and names differ from system to system."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from common.errors import UserError
from common.installation import how

CLANG = "clang"
_WITH_VERSION = re.compile(rf"{CLANG}-(\d+)")
FOR_BPF = ("-target", "bpf", "-mcpu=v3")
"""Options that a compiler of BPF programs takes."""

PLAIN = ("gcc", CLANG, "cc")
ZIG = "ziglang"
"""A Python package that is a whole clang."""

NO_COMPILER = how(
    "apt-get install --no-install-recommends gcc libc6-dev",
    "pip install 'nodectl-testbed[cca]' brings one; or install gcc or clang with its headers",
)
PACKAGES_FOR_BPF = "clang libbpf-dev"


def clangs() -> Iterator[str]:
    """Paths of all on PATH: the system's own first, then those with a version in their names, the newest first."""
    if own := shutil.which(CLANG):
        yield own
    versions = {
        int(match[1]): str(file)
        for folder in os.get_exec_path()
        for file in Path(folder).glob(f"{CLANG}-*")
        if (match := _WITH_VERSION.fullmatch(file.name)) and shutil.which(file)
    }
    yield from (versions[version] for version in sorted(versions, reverse=True))


@cache
def compiles(compiler: str, options: tuple[str, ...]) -> bool:
    """Whether a compiler takes these options: it refuses those for features that it was built without."""
    command = [compiler, *options, "-x", "c", "-c", "-", "-o", "/dev/null"]
    try:
        return subprocess.run(command, input=b"int one;\n", capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def bpf_compiler() -> str:
    """Path of a clang that makes BPF programs.

    Raises:
        UserError: there is none.
    """
    for path in clangs():
        if compiles(path, FOR_BPF):
            return path
    raise UserError(
        "no clang that compiles for BPF is installed; the BPF congestion controls cannot be built",
        f"apt-get install --no-install-recommends {PACKAGES_FOR_BPF}",
    )


def c_compiler() -> list[str]:
    """The first words of a C compiler's command, for this machine: its own, or the one that the package ziglang brings.

    Raises:
        UserError: there is none.
    """
    for path in (*filter(None, map(shutil.which, PLAIN)), *clangs()):
        if compiles(path, ("-include", "stdint.h")):  # with its headers
            return [path]
    if importlib.util.find_spec(ZIG) is not None:
        return [sys.executable, "-m", ZIG, "cc"]
    raise UserError("there is no C compiler", NO_COMPILER)
