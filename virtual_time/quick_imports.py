"""Python's imports inside without a system call: the modules are known beforehand, and each layer has their code in one file.

Importing a module takes some fifteen system calls and as many page faults, and a run starts a dozen programs in Python. In a user-mode
kernel, system calls are expensive. Inside, this file is ``sitecustomize``, which Python imports before anything else. It reads bundles
that import_bundle.py writes. Python looks for any other module by itself, as ever.
"""

from __future__ import annotations

import marshal
import mmap
import os
import runpy
import sys
from collections.abc import Sequence
from importlib.machinery import ExtensionFileLoader, ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from types import CodeType, ModuleType

BUNDLES = "/usr/share/quick-imports"
"""Folder inside for the layers' files. Each: length of the index in eight bytes, little-endian; the index, by marshal; code."""

INDEX_LENGTH_BYTES = 8
PACKAGE, MODULE, EXTENSION = range(3)

FOR_MINUS_M = "_run_module_as_main"
"""The function in ``runpy`` that Python calls for ``-m``."""

ROOM_SLOTS = 1 << 17
"""Eight bytes each. Unused ones are never in memory."""

Index = dict[str, dict[str, tuple[int, str, int, int]]]
"""Modules by folder and name: their kind, their file's name, and the start and length of their code after the index."""


class BundledLoader(SourceFileLoader):
    """Has the code already; all else (sources for tracebacks, data files beside) is as without it."""

    def __init__(self, fullname: str, path: str, code: memoryview) -> None:
        super().__init__(fullname, path)
        self._code = code

    def get_code(self, _fullname: str) -> CodeType:
        """The module's code."""
        code = marshal.loads(self._code)
        assert isinstance(code, CodeType)
        return code


class BundleFinder:
    """Finds the modules in the bundles, in the order of ``sys.path``, as Python would have found them."""

    def __init__(self) -> None:
        self._folders: dict[str, list[tuple[dict[str, tuple[int, str, int, int]], memoryview]]] = {}

    def add(self, bundle: memoryview) -> None:
        """Take in another layer's modules."""
        start = INDEX_LENGTH_BYTES + int.from_bytes(bundle[:INDEX_LENGTH_BYTES], "little")
        index: Index = marshal.loads(bundle[INDEX_LENGTH_BYTES:start])
        for folder, names in index.items():
            self._folders.setdefault(folder, []).append((names, bundle[start:]))

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, _target: ModuleType | None = None) -> ModuleSpec | None:
        """How to load a module; None where another finder has to look."""
        name = fullname.rpartition(".")[2]
        for folder in sys.path if path is None else path:
            if folder.endswith(".zip"):
                continue  # Debian has none, but Python names one
            if folder not in self._folders:
                return None
            for names, code in self._folders[folder]:
                if name in names:
                    return _spec(fullname, folder, code, *names[name])
        return None


def _spec(fullname: str, folder: str, code: memoryview, kind: int, file: str, start: int, length: int) -> ModuleSpec | None:
    path = f"{folder}/{file}"
    if kind == EXTENSION:
        return spec_from_file_location(fullname, path, loader=ExtensionFileLoader(fullname, path))
    loader = BundledLoader(fullname, path, code[start : start + length])
    below = [path.rpartition("/")[0]] if kind == PACKAGE else None
    return spec_from_file_location(fullname, path, loader=loader, submodule_search_locations=below)


def install(folder: str = BUNDLES) -> None:
    """From now on, imports look into the folder's bundles before Python looks itself."""
    finder = BundleFinder()
    for name in sorted(os.listdir(folder)):  # noqa: PTH208 - pathlib would have to be imported
        bundle = os.open(f"{folder}/{name}", os.O_RDONLY | os.O_CLOEXEC)
        finder.add(memoryview(mmap.mmap(bundle, 0, access=mmap.ACCESS_READ)))
        os.close(bundle)
    sys.meta_path.insert(-1, finder)  # before the one that looks for files


def keep_stack_mapped() -> None:
    """See that a module that ``python -m`` runs has room on one piece of Python's stack of frames.

    Python 3.11 maps that stack in pieces of 16 KB, and unmaps each as soon as it is empty. Imports nest deep: there is nearly always a
    loop that calls across the end of a piece. A frame that claims much makes a piece of twice its size.
    """

    def run_with_room(name: str, alter_argv: bool = True) -> object:
        return run_module(name, alter_argv)

    run_module = getattr(runpy, FOR_MINUS_M)
    run_with_room.__code__ = run_with_room.__code__.replace(co_stacksize=ROOM_SLOTS)
    setattr(runpy, FOR_MINUS_M, run_with_room)


if __name__ == "sitecustomize":
    install()
    keep_stack_mapped()
