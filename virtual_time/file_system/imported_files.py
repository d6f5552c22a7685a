"""Which files of a checkout programs import: read from the sources, so that nobody has to list them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from common.text_files import read_text

SUFFIX = ".py"
PACKAGE_FILE = "__init__"
_FOR_TYPES_ALONE = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+.*\n|\n)+", re.MULTILINE)
_FROM = re.compile(r"^[ \t]*from ([\w.]+) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import ([\w., ]+)", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?: as \w+)?")


def imported_files(sources: Mapping[str, Path], programs: Iterable[str]) -> set[str]:
    """All modules that programs load, themselves among them, and the packages that these are in.

    Imports that only a type checker reads do not count. Those within functions do, and so do those in the text of a docstring, which is one
    file too many at worst.

    Args:
        sources: Python files by their paths in the checkout, with "/" between names.
        programs: paths; those that are no Python files import nothing.

    Raises:
        UserError: a file cannot be read.
    """
    modules = {_module(path): path for path in sources if path.endswith(SUFFIX)}
    found: set[str] = set()
    todo = [_module(path) for path in programs]
    while todo:
        name = todo.pop()
        if (path := modules.get(name)) is None or path in found:
            continue
        found.add(path)
        todo += _imports(read_text(sources[path]))
        todo.append(name.rpartition(".")[0])
    return found


def _module(path: str) -> str:
    return path.removesuffix(SUFFIX).removesuffix(f"/{PACKAGE_FILE}").replace("/", ".")


def _imports(text: str) -> list[str]:
    """The names of modules, and some that are none: a package's name may be a module or a function."""
    text = _FOR_TYPES_ALONE.sub("", text)
    named = [name for match in _IMPORT.finditer(text) for name in re.findall(r"[\w.]+", match[1])]
    for match in _FROM.finditer(text):
        named += [match[1], *(f"{match[1]}.{name}" for name in _NAME.findall(match[2]))]
    return named
