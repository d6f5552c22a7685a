"""The congestion controls, compiled for the kernel of the wheel: every scheme, and those with the constants that some file asks for."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.installation import PROJECT
from hosts.cca.kernel_tree import KernelTree
from hosts.cca.modules import CACHE_FOLDER, build
from hosts.cca.scheme_names import Scheme, parse_all, parse_scheme
from hosts.cca.sources import available

FOLDERS = ("scenario/examples", "reports/papers", "labs", "testbed/starting/templates", "bench")
"""Folders whose TOML files name schemes."""


def wanted_schemes(project: Path = PROJECT) -> list[Scheme]:
    """All schemes of ours, as they are and with the constants of the files of a checkout."""
    texts = [*available()]
    for folder in FOLDERS:
        for file in sorted((project / folder).rglob("*.toml")):
            texts += _texts(tomllib.loads(file.read_text(encoding="utf-8")))
    return list(dict.fromkeys(scheme for text in texts for scheme in _schemes(text) if scheme.source is not None))


def built_modules(kernel: Path, jobs: int) -> Iterable[Path]:
    """Their modules, built if need be.

    Args:
        kernel: folder of the kernel.
        jobs: compilers at a time.

    Raises:
        UserError: one does not compile.
    """
    return build(wanted_schemes(), KernelTree(kernel / "objects"), CACHE_FOLDER, jobs=jobs).values()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _schemes(text: str) -> Iterator[Scheme]:
    """The schemes that a text names; most texts name none."""
    try:
        yield parse_scheme(text)
    except UserError:
        if "(" in text and len(text) < 1000:
            try:
                yield from parse_all([text])
            except UserError:
                return


__all__ = ["built_modules", "wanted_schemes"]
