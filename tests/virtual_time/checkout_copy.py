"""A second checkout, for tests that move it or add to it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import virtual_time.kernel.build as kernel_build
from hosts.cca.modules import CACHE_FOLDER
from virtual_time.file_system.image import BINARIES, BUILT, BUILT_FILES, CHECKOUT_FILES, CHECKOUT_FOLDERS, RELEASE

PROJECT = Path(__file__).resolve().parents[2]
FOLDERS = (
    *CHECKOUT_FOLDERS,
    "labs",
    "make",
    "reports",
    "testbed",
    "view",
)
"""The folders of the programs that run, start runs, and make reports and pages."""


def copy_of_checkout(folder: Path, more: Sequence[Path] = ()) -> Path:
    """Copy the files of a checkout that a run needs; built files are not built again.

    Args:
        folder: of the copy.
        more: further files of the project.
    """
    for name in FOLDERS:
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    programs = [folder_of / name for folder_of, names in ((Path(RELEASE), BINARIES), (Path(), CHECKOUT_FILES)) for name in names]
    built = [Path(BUILT, name) for name in BUILT_FILES]
    found = kernel_build.find()
    assert found is not None
    here = found.folder.relative_to(PROJECT)
    wanted = [file.relative_to(PROJECT) for file in more]
    for file in [*programs, *built, *wanted, here / "linux", here / "linux.sha256", here.parent / "source.json"]:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(PROJECT / file, folder / file)
    (folder / here / "objects").symlink_to(found.objects)
    if CACHE_FOLDER.exists():
        shutil.copytree(CACHE_FOLDER, folder / CACHE_FOLDER.relative_to(PROJECT))
    return folder
