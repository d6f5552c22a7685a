"""Writes the wheel: `python -m switch.packages.wheel --binaries FOLDER --platform TAG --out FOLDER`.

A wheel is a zip file with a list of its files (PEP 427); commands are in its folder for scripts.
"""

from __future__ import annotations

import base64
import hashlib
import re
import stat
import zipfile
from pathlib import Path

from common.command_end import end_with
from common.whole_files import whole_file
from switch.packages import command_line
from switch.packages.contents import MODULE, NAME, File, Kind, files, version

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file, so that the same contents give the same wheel."""
OLD_NAMES = {"manylinux_2_17": "manylinux2014"}
"""Names of platforms that pip knew before it knew those which say their C library (PEP 600)."""


class Wheel:
    """A wheel being written."""

    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record: list[str] = []

    def add(self, name: str, data: bytes, *, executable: bool = False) -> None:
        """Add a file."""
        info = zipfile.ZipInfo(name, EPOCH)
        info.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self._zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, info_folder: str) -> None:
        """Write the list of files."""
        name = f"{info_folder}/RECORD"
        self._zip.writestr(zipfile.ZipInfo(name, EPOCH), "\n".join([*self._record, f"{name},,"]) + "\n")
        self._zip.close()


def platforms(platform: str) -> list[str]:
    """The names of a platform, for old and new pip."""
    old = [re.sub(f"^{new}(?=_)", name, platform) for new, name in OLD_NAMES.items() if platform.startswith(f"{new}_")]
    return [platform, *old]


def head(generator: str, platform: str) -> bytes:
    """The file WHEEL of a wheel for a platform."""
    lines = ["Wheel-Version: 1.0", f"Generator: {generator}", "Root-Is-Purelib: false"]
    lines += [f"Tag: py3-none-{name}" for name in platforms(platform)]
    return ("\n".join(lines) + "\n").encode()


def place(file: File) -> str:
    """Where a file is in the wheel."""
    release = f"{MODULE}-{version()}"
    folders = {
        Kind.COMMAND: f"{release}.data/scripts",
        Kind.MODULE: MODULE,
        Kind.INCLUDE: f"{MODULE}/p4include",
        Kind.METADATA: f"{release}.dist-info",
        Kind.LICENSE: f"{release}.dist-info/licenses",
        Kind.SHARED: f"{release}.data/data/share",
    }
    return f"{folders[file.kind]}/{file.name}"


def write(binaries: Path, platform: str, out: Path, runnable: Path) -> Path:
    """Write the wheel for a platform such as `manylinux_2_17_x86_64`; its path. `binaries` and `runnable` are those of `contents.files`.

    Raises FileNotFoundError if something is not built.
    """
    release = f"{MODULE}-{version()}"
    path = out / f"{release}-py3-none-{'.'.join(platforms(platform))}.whl"
    with whole_file(path) as unfinished:
        wheel = Wheel(unfinished)
        for file in files(binaries, runnable):
            wheel.add(place(file), file.data, executable=file.kind is Kind.COMMAND)
        info = f"{release}.dist-info"
        wheel.add(f"{info}/WHEEL", head(NAME, platform))
        wheel.close(info)
    return path


if __name__ == "__main__":
    end_with(lambda: command_line.main("wheel", "Write the wheel of the P4 toolchain.", "platform", "such as manylinux_2_17_x86_64", write))
