"""Writes the bundles that quick_imports.py reads: a layer's Python modules in one file."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping
from importlib.machinery import EXTENSION_SUFFIXES

from virtual_time.file_system.bytecode import MARSHAL_VERSION
from virtual_time.quick_imports import EXTENSION, INDEX_LENGTH_BYTES, MODULE, PACKAGE, Index

PACKAGE_FILE = "__init__.py"
SOURCE_SUFFIX = ".py"


def import_bundle(code: Mapping[str, bytes], files: Iterable[str]) -> bytes:
    """The bundle's bytes, the same for the same modules.

    Args:
        code: each module's, as ``marshal`` writes it, by its source's path inside.
        files: all files of the layer, for extension modules, which are loaded by the system.
    """
    index: Index = {}
    start = 0
    for path in sorted(code):
        folder, _, file = path.rpartition("/")
        length = len(code[path])
        index.setdefault(folder, {}).setdefault(file.removesuffix(SOURCE_SUFFIX), (MODULE, file, start, length))
        if file == PACKAGE_FILE:
            above, _, name = folder.rpartition("/")
            index.setdefault(above, {})[name] = (PACKAGE, f"{name}/{file}", start, length)
        start += length
    for path in sorted(files):
        folder, _, file = path.rpartition("/")
        suffix = next((one for one in EXTENSION_SUFFIXES if file.endswith(one)), None)
        if suffix is not None:
            _add_extension(index.setdefault(folder, {}), file.removesuffix(suffix), file)
    head = marshal.dumps(index, MARSHAL_VERSION)
    return b"".join((len(head).to_bytes(INDEX_LENGTH_BYTES, "little"), head, *(code[path] for path in sorted(code))))


def _add_extension(names: dict[str, tuple[int, str, int, int]], name: str, file: str) -> None:
    """Python prefers a package to an extension module, and that to a source of the same name."""
    if names.get(name, (MODULE,))[0] != PACKAGE:
        names[name] = (EXTENSION, file, 0, 0)
