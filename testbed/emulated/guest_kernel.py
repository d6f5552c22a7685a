"""The emulated machine's Linux: any kernel for x86-64 with a serial console, as a file or in its Debian package."""

from __future__ import annotations

import io
import lzma
import re
import tarfile
from pathlib import Path

from common.errors import UserError

BOOT = Path("/boot")
KERNELS = re.compile(r"(?:\./)?boot/vmlinuz-[^/]+")
ARCHIVE = b"!<arch>\n"
"""The beginning of a Debian package, which is an archive of ``ar``."""

ENTRY_BYTES = 60
REMEDY = "get Debian's package linux-image-cloud-amd64 (the one that it depends on has the kernel), and name it: --emulate-kernel FILE.deb"


def kernel_file(named: str, folder: Path, boot: Path = BOOT) -> Path:
    """The kernel to boot.

    Args:
        named: a kernel, or a Debian package of one; empty: the newest of ``boot``.
        folder: for a kernel that comes out of a package.

    Raises:
        UserError: there is none, or the file is neither.
    """
    if not named:
        found = sorted(boot.glob("vmlinuz-*"), key=lambda file: [int(number) for number in re.findall(r"\d+", file.name)])
        if not found:
            raise UserError(f"no kernel for the emulated machine is in {boot}", REMEDY)
        return found[-1]
    file = Path(named)
    try:
        with file.open("rb") as stream:
            is_package = stream.read(len(ARCHIVE)) == ARCHIVE
    except OSError as error:
        raise UserError(f"cannot read the kernel {file}: {error.strerror}", REMEDY) from None
    if not is_package:
        return file
    kernel = folder / "vmlinuz"
    kernel.write_bytes(_of_package(file))
    return kernel


def _of_package(file: Path) -> bytes:
    try:
        for name, content in _entries(file.read_bytes()):
            if name.startswith("data.tar"):
                with tarfile.open(fileobj=io.BytesIO(content)) as archive:
                    for member in archive:
                        kernel = archive.extractfile(member) if KERNELS.fullmatch(member.name) else None
                        if kernel is not None:
                            return kernel.read()
    except (tarfile.TarError, lzma.LZMAError, ValueError, EOFError) as error:
        raise UserError(f"{file} is no whole Debian package: {error}", REMEDY) from None
    raise UserError(f"{file} has no kernel", REMEDY)


def _entries(archive: bytes) -> list[tuple[str, bytes]]:
    """The files of an archive of ``ar``."""
    found, position = [], len(ARCHIVE)
    while position + ENTRY_BYTES <= len(archive):
        name = archive[position : position + 16].decode("ascii", "replace").strip().rstrip("/")
        size = int(archive[position + 48 : position + 58])
        begin = position + ENTRY_BYTES
        if size < 0 or begin + size > len(archive):
            raise ValueError(f"{name} is cut off")
        found.append((name, archive[begin : begin + size]))
        position = begin + size + size % 2
    return found
