"""The kernel's sources: Debian's package, or the archive that ``KERNEL_SOURCE`` names."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from common.errors import UserError

VERSION = "6.12"
PACKAGE = f"linux-source-{VERSION}"
ARCHIVE = Path(f"/usr/src/{PACKAGE}.tar.xz")
CHOICE = "KERNEL_SOURCE"
"""Environment variable: another archive of kernel sources, of the same version."""

LEFT_OUT = (
    "Documentation/*",
    "tools/testing/*",
    "drivers/gpu/*.[ch]",
    "drivers/net/ethernet/*.[ch]",
    "drivers/net/wireless/*.[ch]",
    "drivers/media/*.[ch]",
    "drivers/staging/*.[ch]",
    "sound/*.[ch]",
)
"""Half of the sources, which no build of ours reads."""


def find_source() -> Path:
    """The archive of the sources.

    Raises:
        UserError: there is none.
    """
    chosen = os.environ.get(CHOICE)
    archive = Path(chosen) if chosen else ARCHIVE
    if not archive.is_file():
        what = f"{CHOICE}={chosen} is no file" if chosen else f"the Debian package {PACKAGE} is not installed"
        raise UserError(what, f"apt-get install --no-install-recommends {PACKAGE}, or {CHOICE}=ARCHIVE with sources of Linux {VERSION}")
    return archive


def unpack(archive: Path, folder: Path) -> None:
    """Unpack the files of an archive that a build needs into a new folder, without the archive's own top folder.

    Raises:
        UserError: it cannot be unpacked.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    left_out = [f"--exclude=*/{pattern}" for pattern in LEFT_OUT]
    command = ["tar", "--extract", "--file", str(archive), "--directory", str(folder), "--strip-components=1", *left_out]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0 or not (folder / "arch" / "um").is_dir():
        raise UserError(f"{archive} cannot be unpacked, or has no kernel sources: {result.stderr.strip()[-400:]}")
    (folder / "Documentation").mkdir(exist_ok=True)
    (folder / "Documentation" / "Kconfig").touch()  # the configuration reads it


def apply_patches(folder: Path, patches: list[Path]) -> None:
    """Apply our patches, in order.

    Raises:
        UserError: one does not fit these sources.
    """
    for patch in patches:
        command = ["patch", "--strip=1", "--forward", "--silent", "--directory", str(folder), "--input", str(patch)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise UserError(
                f"{patch.name} does not fit these kernel sources:\n{result.stdout.strip()}", f"they have to be of Linux {VERSION}"
            )
