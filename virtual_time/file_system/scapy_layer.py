"""The files that Scapy needs inside besides its package: libpcap, which compiles its filters, and ``ldconfig``, which locates it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from common.errors import UserError
from virtual_time.file_system.layer import LayerContent
from virtual_time.file_system.shared_libraries import needed_libraries
from virtual_time.file_system.userland import LIBRARY_FOLDERS, library_inside, path_inside

SCAPY = "scapy"
LIBRARY = "libpcap.so.0.8"
PACKAGE = "libpcap0.8"
MULTIARCH = "x86_64-linux-gnu"
LDCONFIG = "/usr/sbin/ldconfig"


def scapy_layer(beside: LayerContent) -> LayerContent:
    """Libraries that Python loads by their names, and the program that it asks for them.

    Args:
        beside: the userland that they are added to.

    Raises:
        UserError: libpcap is not installed.
    """
    library = next(_found(), None)
    if library is None:
        raise UserError(f"{LIBRARY} is not installed, which Scapy's filters need", f"apt-get install --no-install-recommends {PACKAGE}")
    files = {path_inside(library): library.resolve()}
    files |= {library_inside(one, beside): one.parent.resolve() / one.name for one in needed_libraries([library])}
    listed = f"\t{LIBRARY} (libc6,x86-64) => {path_inside(library)}"
    return LayerContent(files, texts={LDCONFIG: f"#!/bin/sh\necho '{listed}'\n"}, executable=frozenset({LDCONFIG}))


def _found() -> Iterator[Path]:
    for folder in LIBRARY_FOLDERS:
        for place in (Path(folder, MULTIARCH, LIBRARY), Path(folder, LIBRARY)):
            if place.exists():
                yield place
