"""The kernel's headers, read once for all of its files (``compiler.sh`` says why)."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILER = HERE / "compiler.sh"
HEADERS = HERE / "precompiled.h"
SAMPLE = "fs/libfs.o"
"""A file of the kernel: the headers are compiled with its options."""

OF_A_FILE = ("-Wp,-MMD,", "-DKBUILD_", "-D__KBUILD_")
WITH_A_WORD = ("-include", "-o")


def precompile(objects: Path, environment: Mapping[str, str]) -> Path | None:
    """Have gcc read the headers, with the options of ``SAMPLE``, which is compiled.

    Args:
        objects: the object tree; the headers come beside it.

    Returns:
        The header that a compiler is given as ``PRECOMPILED``; None: gcc does not take these headers together, so each file reads its own.
    """
    header = objects.with_name(HEADERS.name)
    shutil.copy(HEADERS, header)
    command = [*_options(objects), "-x", "c-header", "-o", f"{header}.gch", str(header)]
    done = subprocess.run(command, cwd=objects, env=dict(environment), capture_output=True, check=False)
    return header if done.returncode == 0 else None


def _options(objects: Path) -> list[str]:
    """The compiler and its options for any file of the kernel: those of the sample without what is its own."""
    sample = objects / SAMPLE
    lines = sample.with_name(f".{sample.name}.cmd").read_text().splitlines()
    words = shlex.split(lines[0].partition(":= ")[2].partition(" ; ")[0])
    kept = ["gcc"]
    rest = iter(words[1:-1])
    for word in rest:
        if word in WITH_A_WORD:
            next(rest)
        elif word != "-c" and not word.startswith(OF_A_FILE):
            kept.append(word)
    return kept
