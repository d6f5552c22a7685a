"""nodectl.p4 without some of its decisions, compiled when it is needed."""

from __future__ import annotations

import subprocess
from pathlib import Path

from nodectl.errors import UserError
from nodectl.variant import Variant
from topo.preflight import BINARIES, PROGRAM, PROJECT

SOURCE = PROJECT / "p4src" / "nodectl.p4"


def compile_variant(variant: Variant, compiler: Path = BINARIES / "p4c-bm2-ss") -> tuple[Path, Path]:
    """The program (BMv2 JSON) and its P4Info, in a folder of their own beside the complete one.

    Raises:
        UserError: the compiler refuses it; with its own words.
    """
    folder = PROGRAM.parent / "variants" / "-".join(variant.defines)
    folder.mkdir(parents=True, exist_ok=True)
    program, p4info = folder / "nodectl.json", folder / "nodectl.p4info.txtpb"
    options = ["--arch", "v1model", "--p4v", "16", *(f"-D{name}" for name in variant.defines), "--p4runtime-files", str(p4info)]
    command = [str(compiler), *options, "-o", str(program), str(SOURCE)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise UserError(f"{SOURCE} does not compile {variant.name}:\n{result.stderr.rstrip()}")
    return program, p4info
