"""Compiles a student's P4 program, and tells its mistakes in the compiler's words."""

from __future__ import annotations

import json
from pathlib import Path

from common.built_program import built_program
from labs.check.compiler_messages import first_error
from labs.check.compiler_run import run_compiler
from labs.check.vocabulary import Failed

STANDARD_METADATA = "standard_metadata"
"""The header that every v1model program has."""


def compile_program(folder: Path, name: str) -> Path:
    """The BMv2 JSON of a program in ``folder``.

    Raises:
        Failed: it does not compile.
        UserError: the compiler is not built yet.
    """
    output = folder / Path(name).with_suffix(".json")
    command = [str(built_program("p4c-bm2-ss")), "--arch", "v1model", "--std", "p4-16", "-o", str(output), name]
    result = run_compiler(command, name, folder)
    if result.returncode != 0:
        said = result.stderr.rstrip().splitlines()
        first = first_error(said, result.returncode)
        raise Failed(f"{name} does not compile: {first}", said)
    if not any(header["name"] == STANDARD_METADATA for header in json.loads(output.read_bytes())["headers"]):
        raise Failed(f"{name} does not compile to a switch: it has no `main`", ["at its end there has to be: V1Switch(…) main;"])
    return output
