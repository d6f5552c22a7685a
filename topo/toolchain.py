"""Whose P4 compiler and switch a run uses: the one place that decides whether p4c and BMv2 are wished for and there.

Standard library only: `make` asks here before it has installed anything (``python3 -m topo.toolchain SWITCH COMPILER``).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.built_program import built_program
from common.command_line import run_command
from common.errors import UserError
from common.installation import BINARIES, BROUGHT, INSTALLED, MADE, PROJECT
from common.whole_files import whole_files
from common.write_errors import cannot_write
from protocol.variant import Variant
from scenario.run_request import EMBEDDED

SOURCE = PROJECT / "p4src" / "nodectl.p4"

BMV2 = "bmv2"
P4C = "p4c"
P4C_COMMANDS = ("p4c-bm2-ss", "p4c")
"""Either of them will do; the first is p4c's back end itself."""
BMV2_COMMAND = "simple_switch_grpc"
P4INFO_SUFFIX = ".p4info.txtpb"
OTHERS = "others"
"""The folder of programs that are not the testbed's, beside those that are."""

DIGITS = 12
"""Of a checksum in a folder's name."""


@dataclass(frozen=True)
class Toolchain:
    """A compiler and a switch. A command is None where the embedded one is used.

    Args:
        p4c: the compiler's command.
        bmv2: the switch's command.
        compiled: the folder of a program that p4c has compiled elsewhere; it is taken as it is.
    """

    p4c: Path | None = None
    bmv2: Path | None = None
    compiled: Path | None = None

    @property
    def program(self) -> Path:
        """BMv2 JSON of nodectl.p4 by this compiler. Each compiler has its own folder."""
        return (BROUGHT if self.p4c is None else self._made) / "nodectl.json"

    @property
    def p4info(self) -> Path:
        """P4Info of nodectl.p4 by this compiler, protobuf text."""
        return self.program.with_suffix(P4INFO_SUFFIX)

    @property
    def _made(self) -> Path:
        """The folder of files that this compiler makes on demand."""
        return MADE if self.p4c is None else MADE / P4C

    def compile(self, defines: Sequence[str] = (), source: Path = SOURCE) -> tuple[Path, Path]:
        """Compile a program, nodectl.p4 only where `make` has not: BMv2 JSON and P4Info.

        Args:
            defines: preprocessor names of a variant (protocol/variant.py); each set of them has its own folder.
            source: the program.

        Raises:
            UserError: the compiler refuses it, with its own words; or it is not built yet, or the files cannot be written.
        """
        if self.compiled is not None:
            program = self.compiled / f"{source.stem}.json"
            return program, program.with_suffix(P4INFO_SUFFIX)
        if self.p4c is None and not defines and source == SOURCE:
            return self.program, self.p4info
        folder = self._made
        if source.parent != SOURCE.parent:  # somebody's program, which may have any name
            folder = folder / OTHERS / hashlib.sha256(str(source.parent).encode()).hexdigest()[:DIGITS]
        if defines:
            folder = folder / "variants" / "-".join(defines)
        program = folder / f"{source.stem}.json"
        try:
            with whole_files(folder) as unfinished:
                self._compile(source, defines, unfinished / program.name)
        except OSError as error:
            raise cannot_write(error) from None
        return program, program.with_suffix(P4INFO_SUFFIX)

    def _compile(self, source: Path, defines: Sequence[str], program: Path) -> None:
        compiler = self.p4c or built_program("p4c-bm2-ss")
        p4info = program.with_suffix(P4INFO_SUFFIX)
        # The driver `p4c` takes a folder, the back end `p4c-bm2-ss` a file.
        target = ["--target", BMV2, "-o", str(program.parent)] if compiler.name == P4C else ["-o", str(program)]
        options = ["--arch", "v1model", "--std", "p4-16", *(f"-D{name}" for name in defines), "--p4runtime-files", str(p4info)]
        # Compilers write down the names of sources as they are told them: the same wherever the checkout is.
        named = source.relative_to(PROJECT) if source.is_relative_to(PROJECT) else source
        command = [str(compiler), *options, *target, str(named)]
        result = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise UserError(f"{compiler.name} cannot compile {source}:\n{result.stderr.rstrip()}", f"the command was: {' '.join(command)}")

    def describe(self) -> dict[str, str]:
        """Compiler and switch with their versions, for the record of a run."""
        return {
            "compiler": EMBEDDED if self.p4c is None else f"p4c {version(self.p4c)}",
            "switch": EMBEDDED if self.bmv2 is None else f"BMv2 {version(self.bmv2)}",
        }


def program_of(variant: Variant, source: Path = SOURCE) -> Path:
    """The program that switches of a variant run.

    Args:
        variant: of Nodectl.
        source: Nodectl's, of which each variant has its own; any other program is run itself, whatever the variant.
    """
    return SOURCE.with_name(variant.design.program) if source == SOURCE else source


def choose(switch: str = EMBEDDED, compiler: str = "", path: str | None = None) -> Toolchain:
    """The toolchain that ``SWITCH=`` and ``COMPILER=`` wish for.

    Args:
        switch: ``embedded`` or ``bmv2``.
        compiler: ``embedded`` or ``p4c``; empty: the one that belongs to the switch.
        path: where commands are looked for, instead of PATH.

    Raises:
        UserError: an unknown name, or a command that is not on PATH.
    """
    if switch not in (EMBEDDED, BMV2):
        raise UserError(f"SWITCH={switch} is not known", "SWITCH is embedded (the default) or bmv2")
    if compiler not in ("", EMBEDDED, P4C):
        raise UserError(f"COMPILER={compiler} is not known", "COMPILER is embedded or p4c; left out, it goes with SWITCH")
    wants_bmv2 = switch == BMV2
    wants_p4c = compiler == P4C or (wants_bmv2 and not compiler)
    p4c = _find(P4C_COMMANDS, path) if wants_p4c else None
    bmv2 = _find((BMV2_COMMAND,), path) if wants_bmv2 else None
    missing = [name for name, wanted, found in ((P4C, wants_p4c, p4c), (BMV2_COMMAND, wants_bmv2, bmv2)) if wanted and found is None]
    if missing:
        wish = f"SWITCH={switch}" + (f" COMPILER={compiler}" if compiler else "")
        remedies = ["leave SWITCH and COMPILER out to use the embedded compiler and switch"]
        if missing == [P4C] and wants_bmv2:
            remedies.append("or add COMPILER=embedded to run BMv2 with the embedded compiler")
        if missing == [BMV2_COMMAND] and wants_p4c:
            remedies.append("or choose COMPILER=p4c alone to run the embedded switch with p4c")
        raise UserError(f"{wish}: {' and '.join(missing)} not found on PATH", "; ".join(remedies))
    return Toolchain(p4c, bmv2)


def _find(names: tuple[str, ...], path: str | None) -> Path | None:
    for name in names:
        found = shutil.which(name, path=_others(path))
        # The embedded ones answer to the same names; nobody wishes for those here.
        if found and Path(found).resolve().parent != BINARIES:
            return Path(found)
    return None


def _others(path: str | None) -> str | None:
    """Where commands are looked for, without the folder in which an installed testbed has its own."""
    if INSTALLED is None:
        return path
    own = str(Path(sys.prefix) / "bin")
    folders = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if folder != own)


def version(command: Path) -> str:
    """The version that a command prints, or ``of unknown version``."""
    try:
        result = subprocess.run([str(command), "--version"], capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return "of unknown version"
    found = re.search(r"\b\d+\.\d+\S*", result.stdout + result.stderr)
    return found.group() if found else "of unknown version"


if __name__ == "__main__":
    from common.command_end import end_with

    # Says what is wrong with a wish, if anything is; for the Makefile.
    end_with(lambda: run_command(lambda: choose(*sys.argv[1:])))
