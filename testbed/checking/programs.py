"""Compiles the P4 programs of a folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from testbed.checking.finding import Finding, Verdict
from topo.toolchain import Toolchain

INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
WORDS_BEFORE = re.compile(r"^\S+ cannot compile [^\n]*:\n")


@dataclass(frozen=True)
class CheckedProgram:
    """A program and the result of its compilation.

    Args:
        source: the program.
        finding: whether it compiles.
        compiled: its BMv2 JSON; None: it does not compile.
    """

    source: Path
    finding: Finding
    compiled: Path | None = None


def programs_in(folder: Path) -> list[Path]:
    """The P4 programs of a folder, without files that others include."""
    sources = sorted(folder.glob("*.p4"))
    included = {(folder / name).resolve() for source in sources for name in INCLUDED.findall(source.read_text("utf-8", "replace"))}
    return [source for source in sources if source.resolve() not in included]


def check_program(source: Path, defines: Sequence[str], toolchain: Toolchain) -> CheckedProgram:
    """Compile a program.

    Args:
        source: the program.
        defines: names for the preprocessor.
        toolchain: whose compiler.
    """
    try:
        compiled, _ = toolchain.compile(defines, source.resolve())
    except UserError as error:
        said = WORDS_BEFORE.sub("", error.what).replace(f"{source.resolve().parent}/", "")
        return CheckedProgram(source, Finding(Verdict.FAILED, source.name, said))
    return CheckedProgram(source, Finding(Verdict.PASSED, source.name, "it compiles"), compiled)
