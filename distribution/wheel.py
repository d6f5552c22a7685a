"""Writes the wheel: commands, p4include and the Python module.

`python -m distribution.wheel --binaries FOLDER --platform TAG --out FOLDER`.
A wheel is a zip file with a list of its files (PEP 427); commands are in its folder for scripts.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import stat
import sys
import zipfile
from pathlib import Path

from distribution import manual
from distribution.contents import INCLUDES, LICENSE, MODULE, NAME, SUMMARY, command_paths, module_files, version

TAG = "py3-none-{platform}"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file, so that the same contents give the same wheel."""


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


def write(binaries: Path, platform: str, out: Path, runnable: Path) -> Path:
    """Write the wheel for a platform tag such as `manylinux2014_x86_64`; its path.

    The manual is made of what the commands in `runnable` say, which are the same for this machine's processor.
    Raises FileNotFoundError.
    """
    release = f"{MODULE}-{version()}"
    commands = command_paths(binaries)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{release}-{TAG.format(platform=platform)}.whl"
    wheel = Wheel(path)
    for source in module_files():
        wheel.add(f"{MODULE}/{source.name}", source.read_bytes())
    for source in sorted(INCLUDES.glob("*.p4")):
        wheel.add(f"{MODULE}/p4include/{source.name}", source.read_bytes())
    for command in commands:
        wheel.add(f"{release}.data/scripts/{command.name}", command.read_bytes(), executable=True)
    for name, text in manual.pages(runnable).items():
        wheel.add(f"{release}.data/data/share/man/man1/{name}", text.encode())
    for name, text in manual.completions().items():
        wheel.add(f"{release}.data/data/share/bash-completion/completions/{name}", text.encode())
    info = f"{release}.dist-info"
    metadata = [
        "Metadata-Version: 2.4",
        f"Name: {NAME}",
        f"Version: {version()}",
        f"Summary: {SUMMARY}",
        f"License-Expression: {LICENSE}",
        "Requires-Python: >=3.9",
    ]
    wheel.add(f"{info}/METADATA", ("\n".join(metadata) + "\n").encode())
    head = f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {TAG.format(platform=platform)}\n"
    wheel.add(f"{info}/WHEEL", head.encode())
    wheel.add(f"{info}/entry_points.txt", f"[pytest11]\nnodectl_p4 = {MODULE}.pytest_plugin\n".encode())
    wheel.close(info)
    return path


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m distribution.wheel", description="Write the wheel of the P4 toolchain.")
    parser.add_argument("--binaries", type=Path, required=True, help="folder of the built commands")
    parser.add_argument("--platform", required=True, help="platform tag, such as manylinux2014_x86_64")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--runnable", type=Path, help="folder of the same commands for this machine's processor, if that is another one")
    arguments = parser.parse_args()
    try:
        print(write(arguments.binaries, arguments.platform, arguments.out, arguments.runnable or arguments.binaries))
    except FileNotFoundError as error:
        print(f"wheel: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
