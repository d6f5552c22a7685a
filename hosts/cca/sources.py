"""The schemes of this folder: every ``NAME.bpf.c`` is one, and is called NAME."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from common.errors import UserError

SOURCE_FOLDER = Path(__file__).resolve().parent
SOURCE_SUFFIX = ".bpf.c"
NAME_LENGTH_MAX = 15
"""Longest name the kernel takes (TCP_CA_NAME_MAX, without the final zero)."""

OWN_FOLDER_VARIABLE = "NODECTL_SCHEMES"
"""In the environment: a folder with more schemes, which go before those here of the same name."""

KERNEL_ONLY = ("reno", "cubic", "bbr")
"""These are always the kernel's, so no source here may be called so."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TABLE = re.compile(r"^(?:struct tcp_congestion_ops (?P<table>\w+) = |REGISTER\((?P<name>\w+),)", re.MULTILINE)
_TITLE = re.compile(r"/\*\s*(\S.*)")


@dataclass(frozen=True)
class SchemeSource:
    """One congestion control of this testbed: its name, its C file and the title in its head comment."""

    name: str
    source: Path
    title: str


def available(folder: Path = SOURCE_FOLDER) -> dict[str, SchemeSource]:
    """All schemes in ``folder`` by name, in the order of their names; those of this folder with those of :func:`own_folder`.

    Raises:
        UserError: a file's name cannot be the name of a congestion control, or it does not define the one it is named after.
    """
    if folder == SOURCE_FOLDER and (own := own_folder()) is not None:
        return dict(sorted((_found(folder) | _found(own)).items()))
    return _found(folder)


def source_of(name: str, folder: Path = SOURCE_FOLDER) -> SchemeSource | None:
    """The scheme of that name among :func:`available`, without a look at the others; None if there is none.

    Raises:
        UserError: the file does not define the scheme that it is named after.
    """
    folders = [folder] if folder != SOURCE_FOLDER or (own := own_folder()) is None else [own, folder]
    for one in folders:
        try:
            written = (source := one / f"{name}{SOURCE_SUFFIX}").stat()
        except FileNotFoundError:
            continue
        return _scheme_in(source, written.st_mtime_ns, written.st_size)
    return None


def own_folder() -> Path | None:
    """The folder with more schemes; None if there is none."""
    own = os.environ.get(OWN_FOLDER_VARIABLE)
    return Path(own).resolve() if own else None


def _found(folder: Path) -> dict[str, SchemeSource]:
    files = ((source, source.stat()) for source in sorted(folder.glob(f"*{SOURCE_SUFFIX}")))
    return {one.name: one for one in (_scheme_in(source, written.st_mtime_ns, written.st_size) for source, written in files)}


@cache
def _scheme_in(source: Path, _changed_ns: int, _size_bytes: int) -> SchemeSource:
    """Read once for as long as the file stays as it is: every point of a paper's grid asks for its schemes."""
    name = source.name.removesuffix(SOURCE_SUFFIX)
    if not _NAME.fullmatch(name) or len(name) > NAME_LENGTH_MAX:
        raise UserError(
            f"{source}: '{name}' cannot name a congestion control",
            f"use up to {NAME_LENGTH_MAX} characters of a-z, 0-9 and _, beginning with a letter",
        )
    if name in KERNEL_ONLY:
        raise UserError(f"{source}: {name} is always the kernel's own", "give your scheme another name")
    text = source.read_text(encoding="utf-8", errors="replace")
    _check_defines(source, name, text)
    return SchemeSource(name, source, _title(text))


def _check_defines(source: Path, name: str, text: str) -> None:
    defined = [match["table"] or match["name"] for match in _TABLE.finditer(text)]
    if defined != [name]:
        raise UserError(
            f"{source} must define one congestion control called {name} (`REGISTER({name}, …)`)",
            f"it defines: {', '.join(defined) or 'none'}",
        )


def find(names: list[str], folder: Path = SOURCE_FOLDER) -> list[SchemeSource]:
    """The sources of the schemes called ``names``, each once; if ``names`` is empty, all of them.

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
    return [schemes[name] for name in dict.fromkeys(names)] if names else list(schemes.values())


def _title(text: str) -> str:
    """First line of the head comment, without the scheme's name before the colon."""
    for line in text.splitlines()[1:10]:
        match = _TITLE.match(line)
        if match:
            return match.group(1).split(":", 1)[-1].rstrip("*/ ").strip()
    return ""
