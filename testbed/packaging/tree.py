"""The checkout's part of the wheel: all that a run, a lab, a report or a page reads, and nothing that only tests or building read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from common.installation import BINARIES, BROUGHT, PROJECT
from switch.packages.contents import COMMANDS
from testbed.site_server import SITE
from virtual_time.file_system.image import BUILT_FILES, CHECKOUT_FILES
from virtual_time.file_system.layer import files_below

FOLDERS = (
    "bench", "common", "controller", "docs", "engine", "hosts", "labs", "p4src", "protocol", "reports", "scenario", "switch/p4include",
    "switch/packages/nodectl_p4", "testbed", "topo", "view", "virtual_time",
)  # fmt: skip
FILES = ("LICENSE", "README.md", "CHANGELOG.md", *CHECKOUT_FILES)
LEFT_OUT = ("node_modules", "packaging")
REPORTS = "docs/reproduction"
PICTURES = (".png", ".svg")
"""Of kept reports; a command draws them of the records, which are there."""

MAPS = (".map",)
CHARTS = "view/live/node_modules/uplot"
"""The one package of the live page's that a browser reads."""

OF_KERNEL = ("linux", "linux.sha256")
OF_OBJECTS = (".config", "Module.symvers", "include/generated/utsrelease.h")
"""The kernel's checksum, by which its modules are found, needs these files; kernel_headers.py packs those for compiling."""


def project_files(project: Path = PROJECT) -> Iterator[tuple[str, Path]]:
    """Files of a checkout as git has them, by their places in the tree.

    Args:
        project: the checkout.

    Raises:
        FileNotFoundError: the live page's library of charts is not installed.
    """
    for name in FOLDERS:
        for place, file in sorted(files_below(project / name, name, skip=LEFT_OUT).items()):
            if not (place.startswith(f"{REPORTS}/") and place.endswith(PICTURES)):
                yield place, file
    for name in FILES:
        yield name, project / name
    for name in ("LICENSE", "package.json", "dist/uPlot.esm.js", "dist/uPlot.min.css"):
        yield f"{CHARTS}/{name}", _there(project / CHARTS / name)


def built_files(kernel: Path, binaries: Path) -> Iterator[tuple[str, Path]]:
    """The files that `make` has built, by their places in the tree.

    Args:
        kernel: folder of the user-mode kernel.
        binaries: folder of the toolchain's commands, linked for any Linux.

    Raises:
        FileNotFoundError: something is not built.
    """
    for name in BUILT_FILES:
        yield f"{BROUGHT.name}/{name}", _there(BROUGHT / name)
    yield from site_files(SITE)
    place = f"{BROUGHT.name}/kernel/{kernel.name}"
    for name in OF_KERNEL:
        yield f"{place}/{name}", _there(kernel / name)
    for name in OF_OBJECTS:
        yield f"{place}/objects/{name}", _there(kernel / "objects" / name)
    for name in COMMANDS:
        yield f"{BINARIES.relative_to(PROJECT)}/{name}", _there(binaries / name)


def site_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The built site, without the maps that only debuggers read.

    Args:
        folder: where `make docs` has built it.

    Raises:
        FileNotFoundError: it is not built.
    """
    _there(folder / "index.html")
    yield from sorted(files_below(folder, f"{BROUGHT.name}/{SITE.name}", suffixes_left_out=MAPS).items())


def _there(path: Path) -> Path:
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there")
    return path
