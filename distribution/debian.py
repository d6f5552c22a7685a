"""Writes the Debian package: `python -m distribution.debian --binaries FOLDER --architecture amd64 --out FOLDER`. Needs dpkg-deb."""

from __future__ import annotations

import argparse
import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from distribution import manual
from distribution.contents import INCLUDES, NAME, SUMMARY, command_paths, version

CONFLICTS = "p4lang-p4c, p4lang-bmv2"
"""Packages of others that have commands of the same names."""


def write(binaries: Path, architecture: str, out: Path, runnable: Path) -> Path:
    """Write the package; its path.

    The manual is made of what the commands in `runnable` say, which are the same for this machine's processor.
    Raises FileNotFoundError if a command is not built, CalledProcessError if dpkg-deb fails.
    """
    commands = command_paths(binaries)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{NAME}_{version()}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "root"
        usr = root / "usr"
        (usr / "bin").mkdir(parents=True)
        for command in commands:
            shutil.copy(command, usr / "bin")
        shutil.copytree(INCLUDES, usr / "share" / NAME / "p4include")
        pages = usr / "share" / "man" / "man1"
        pages.mkdir(parents=True)
        completions = usr / "share" / "bash-completion" / "completions"
        completions.mkdir(parents=True)
        for name, text in manual.pages(runnable).items():
            with gzip.GzipFile(pages / f"{name}.gz", "wb", mtime=0) as packed:
                packed.write(text.encode())
        for name, text in manual.completions().items():
            (completions / name).write_text(text)
        size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
        control = [
            f"Package: {NAME}",
            f"Version: {version()}",
            f"Architecture: {architecture}",
            "Maintainer: the Nodectl testbed",
            f"Installed-Size: {size // 1024}",
            "Depends: libc6 (>= 2.17)",
            f"Conflicts: {CONFLICTS}",
            "Section: net",
            "Priority: optional",
            f"Description: {SUMMARY}",
        ]
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN" / "control").write_text("\n".join(control) + "\n")
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", root, path], check=True, stdout=subprocess.DEVNULL)
    return path


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m distribution.debian", description="Write the Debian package of the P4 toolchain.")
    parser.add_argument("--binaries", type=Path, required=True, help="folder of the built commands")
    parser.add_argument("--architecture", required=True, help="amd64 or arm64")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--runnable", type=Path, help="folder of the same commands for this machine's processor, if that is another one")
    arguments = parser.parse_args()
    try:
        print(write(arguments.binaries, arguments.architecture, arguments.out, arguments.runnable or arguments.binaries))
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        print(f"debian: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
