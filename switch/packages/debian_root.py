"""Folders with a Debian system of any release and processor in them, by mmdebstrap, from where this machine's apt gets its packages.

`python -m switch.packages.debian_root rust aarch64 FOLDER`: Rust for this machine, with the standard library for another processor.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from common.command_end import end_with
from common.debian_archive import apt_lines
from common.errors import UserError

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
"""Debian's names of processors, by the kernel's."""
RUST = ("rustc-web", "libstd-rust-web-dev")
"""Debian's newest Rust, and its standard library."""


class NoRootError(Exception):
    """The system cannot be had; the text is mmdebstrap's last lines."""


def make(
    target: Path,
    architectures: Sequence[str],
    packages: Sequence[str],
    *,
    release: str | None = None,
    variant: str = "minbase",
    more: Sequence[str] = (),
) -> None:
    """Install a system with `packages` into `target`, for the first of `architectures` (Debian's names).

    `target` is a folder, or an archive if its name ends with `.tar`. `release` is this machine's if it is None. The variant `extract` runs
    nothing that it installs. `more` are options of mmdebstrap. Raises NoRootError.
    """
    try:
        lines = apt_lines(release)
    except UserError as error:
        raise NoRootError(str(error)) from None
    command = ["mmdebstrap", "--quiet", f"--variant={variant}", f"--architectures={','.join(architectures)}"]
    command += [f"--include={','.join(packages)}", *more, release or "", str(target), *lines]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise NoRootError("mmdebstrap is not there (apt-get install mmdebstrap)") from None
    if result.returncode != 0:
        raise NoRootError("\n".join(result.stderr.splitlines()[-3:]))


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m switch.packages.debian_root", description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["rust"])
    parser.add_argument("processor", choices=sorted(ARCHITECTURES), help="whose standard library is wanted")
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    own, other = ARCHITECTURES[platform.machine()], ARCHITECTURES[arguments.processor]
    try:
        compiler, library = RUST
        make(arguments.folder, [own, other], [compiler, library, f"{library}:{other}"], variant="extract")
    except (NoRootError, subprocess.CalledProcessError) as error:
        print(f"debian_root: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    end_with(main)
