"""Compiles the arithmetic headers of hosts/cca for user space, so that the tests call the very code that runs in the kernel."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from common.errors import UserError
from hosts.cca.compilers import c_compiler
from hosts.cca.sources import SOURCE_FOLDER

Load = Callable[[str], ctypes.CDLL]
"""Gives the library of a header; the fixture `library` is one that compiles each header once."""

RETURNING_64_BITS = (
    "hybla_ratio", "hybla_slow_start_growth", "hybla_avoidance_growth", "msstcp_factor", "whole_square_root", "bic_growth",
    "libra_alpha", "libra_growth", "lia_growth", "coupled_growth", "prague_growth", "window_rate",
    "compound_increase", "copa_step", "copa_next_window", "ledbatpp_above_target", "balia_growth", "olia_growth",
    "swift_grown", "swift_shrunk", "bbr3_pacing_rate",
)  # fmt: skip


def load(header: str, folder: Path) -> ctypes.CDLL:
    """The functions of ``header`` (a file of hosts/cca) as a library; skips the test loudly without a C compiler."""
    try:
        compiler = c_compiler()
    except UserError:
        pytest.skip("no C compiler: the arithmetic of the congestion controls is NOT tested")
    source, library = folder / "arithmetic.c", folder / "arithmetic.so"
    source.write_text(f'#include "{header}"\n', encoding="ascii")
    subprocess.run(
        [*compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{SOURCE_FOLDER}", str(source), "-o", str(library)],
        check=True,
    )
    return _Library(str(library))


class _Library(ctypes.CDLL):
    """Functions return 32 bits without a sign unless told otherwise."""

    def __getitem__(self, name: str) -> ctypes._NamedFuncPointer:
        function = super().__getitem__(name)
        function.restype = ctypes.c_uint64 if name in RETURNING_64_BITS else ctypes.c_uint32
        return function
