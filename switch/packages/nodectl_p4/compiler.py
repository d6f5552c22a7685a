"""Compiling P4_16 programs for v1model."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path

from .binaries import binary
from .p4info import P4Info


class CompileError(Exception):
    """The program was refused; the text is the compiler's messages."""


@dataclass(frozen=True)
class Program:
    """A compiled program."""

    source: Path
    json_path: Path
    """BMv2 JSON."""
    p4info_path: Path
    """P4Info as protobuf's text, which P4Runtime clients read."""
    warnings: str
    """The compiler's messages; empty if there are none."""
    _folder: object = field(default=None, repr=False, compare=False)

    @cached_property
    def p4info(self) -> P4Info:
        """The program as the control plane sees it."""
        return P4Info.load(self.p4info_path.with_suffix(".json"))


def compile(  # noqa: A001 (it is what it does)
    source: str | PathLike[str],
    *,
    output: str | PathLike[str] | None = None,
    include: Sequence[str | PathLike[str]] = (),
    defines: Mapping[str, str | int] | None = None,
    options: Sequence[str] = (),
) -> Program:
    """Compile a program into the folder `output`, which is made if need be.

    Without `output` the files are in a temporary folder that goes when the program does. `options` are further ones of p4c-bm2-ss.
    Raises CompileError with the compiler's messages, and FileNotFoundError if the source is not there.
    """
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(f"there is no program {path}")
    temporary = None
    if output is None:
        temporary = tempfile.TemporaryDirectory(prefix="nodectl-p4-")
        folder = Path(temporary.name)
    else:
        folder = Path(output)
        folder.mkdir(parents=True, exist_ok=True)
    json_path, p4info_path = folder / f"{path.stem}.json", folder / f"{path.stem}.p4info.txtpb"
    command = [str(binary("p4c-bm2-ss")), "-o", str(json_path), "--p4runtime-files", f"{p4info_path},{p4info_path.with_suffix('.json')}"]
    command += [word for folder_name in include for word in ("-I", str(folder_name))]
    command += [word for name, value in (defines or {}).items() for word in ("-D", f"{name}={value}")]
    result = subprocess.run([*command, *options, str(path)], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise CompileError(result.stderr.strip())
    return Program(path, json_path, p4info_path, result.stderr, temporary)
