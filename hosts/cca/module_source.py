"""The C text with which a module is made of a scheme: its name in the kernel, its constants, and the scheme's own file, unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def definitions(registered_name: str, constants: Mapping[str, int]) -> str:
    """The definitions that the module frame needs beside the source; ``constants`` are in the program's units (settable.h)."""
    lines = [f'#define REGISTERED_NAME "{registered_name}"', *(f"#define SET_{name} 0, {value}" for name, value in constants.items())]
    return "".join(f"{line}\n" for line in lines)


def module_source(registered_name: str, constants: Mapping[str, int], source: Path) -> str:
    """The module's C file. The scheme's is included by its path, so that the compiler's messages name it."""
    return f'{definitions(registered_name, constants)}#include "{source}"\n'
