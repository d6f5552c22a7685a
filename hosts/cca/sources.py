"""The schemes of this folder: every ``NAME.bpf.c`` is one, and is called NAME."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from nodectl.errors import UserError

SOURCE_FOLDER = Path(__file__).resolve().parent
SOURCE_SUFFIX = ".bpf.c"
NAME_LENGTH_MAX = 15
"""Longest name the kernel takes (TCP_CA_NAME_MAX, without the final zero)."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TITLE = re.compile(r"/\*\s*(\S.*)")


@dataclass(frozen=True)
class Scheme:
    """One congestion control: its name, its C file and what its head comment says it is."""

    name: str
    source: Path
    title: str


def available(folder: Path = SOURCE_FOLDER) -> dict[str, Scheme]:
    """All schemes in ``folder`` by name, in the order of their names.

    Raises:
        UserError: a file's name cannot be the name of a congestion control.
    """
    schemes = {}
    for source in sorted(folder.glob(f"*{SOURCE_SUFFIX}")):
        name = source.name.removesuffix(SOURCE_SUFFIX)
        if not _NAME.fullmatch(name) or len(name) > NAME_LENGTH_MAX:
            raise UserError(
                f"{source}: '{name}' cannot name a congestion control",
                f"use up to {NAME_LENGTH_MAX} characters of a-z, 0-9 and _, beginning with a letter",
            )
        schemes[name] = Scheme(name, source, _title(source))
    return schemes


def find(names: list[str], folder: Path = SOURCE_FOLDER) -> list[Scheme]:
    """The schemes called ``names``, each once; all of them if ``names`` is empty.

    Raises:
        UserError: there is no such scheme; the message lists those there are.
    """
    schemes = available(folder)
    unknown = [name for name in names if name not in schemes]
    if unknown:
        raise UserError(
            f"no congestion control called {', '.join(unknown)} in {folder}",
            f"there are: {', '.join(schemes) or 'none'}",
        )
    return [schemes[name] for name in dict.fromkeys(names or schemes)]


def _title(source: Path) -> str:
    """First sentence-like line of the head comment, without the scheme's name before the colon."""
    for line in source.read_text(encoding="utf-8", errors="replace").splitlines()[1:10]:
        match = _TITLE.match(line)
        if match:
            return match.group(1).split(":", 1)[-1].rstrip("*/ ").strip()
    return ""
