"""The schemes of this folder: every ``NAME.bpf.c`` is one, and is called NAME.

Where some kernels have the scheme themselves, the file offers it a second time as ``bpf_NAME``, so that both can be compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from protocol.errors import UserError

SOURCE_FOLDER = Path(__file__).resolve().parent
SOURCE_SUFFIX = ".bpf.c"
NAME_LENGTH_MAX = 15
"""Longest name the kernel takes (TCP_CA_NAME_MAX, without the final zero)."""

SECOND_NAME_PREFIX = "bpf_"

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TABLE = re.compile(r"^(?:struct tcp_congestion_ops (?P<table>\w+) = |REGISTER(?P<twice>_TWICE)?\((?P<name>\w+),)", re.MULTILINE)
_TITLE = re.compile(r"/\*\s*(\S.*)")


@dataclass(frozen=True)
class Scheme:
    """One congestion control: its name, its C file and what its head comment says it is."""

    name: str
    source: Path
    title: str

    @property
    def is_second_name(self) -> bool:
        """Whether this is ``bpf_NAME``, which is registered only if asked for."""
        return self.name != self.source.name.removesuffix(SOURCE_SUFFIX)


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
        text = source.read_text(encoding="utf-8", errors="replace")
        for defined in _defined_names(source, name, text):
            schemes[defined] = Scheme(defined, source, _title(text))
    return schemes


def _defined_names(source: Path, name: str, text: str) -> list[str]:
    defined = []
    for match in _TABLE.finditer(text):
        defined.append(match["table"] or match["name"])
        if match["twice"]:
            defined.append(SECOND_NAME_PREFIX + match["name"])
    if name not in defined or not set(defined) <= {name, SECOND_NAME_PREFIX + name}:
        raise UserError(
            f"{source} must define a congestion control called {name} (`REGISTER({name}, …)`), "
            f"and may define {SECOND_NAME_PREFIX}{name} (`REGISTER_TWICE`)",
            f"it defines: {', '.join(defined) or 'none'}",
        )
    return defined


def find(names: list[str], folder: Path = SOURCE_FOLDER) -> list[Scheme]:
    """The schemes called ``names``, each once; if ``names`` is empty, all of them but second names.

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
    if not names:
        return [scheme for scheme in schemes.values() if not scheme.is_second_name]
    return [schemes[name] for name in dict.fromkeys(names)]


def _title(text: str) -> str:
    """First line of the head comment, without the scheme's name before the colon."""
    for line in text.splitlines()[1:10]:
        match = _TITLE.match(line)
        if match:
            return match.group(1).split(":", 1)[-1].rstrip("*/ ").strip()
    return ""
