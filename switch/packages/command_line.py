"""The command line that the writers of packages share."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


def main(name: str, description: str, kind: str, kind_help: str, write: Callable[[Path, str, Path, Path], Path]) -> int:
    """Read the command line of `python -m switch.packages.NAME`, write the package, print its path; the exit code.

    `kind` is the option that says for which machines the package is.
    """
    parser = argparse.ArgumentParser(prog=f"python -m switch.packages.{name}", description=description)
    parser.add_argument("--binaries", type=Path, required=True, help="folder of the built commands")
    parser.add_argument(f"--{kind}", dest="kind", required=True, help=kind_help)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--runnable", type=Path, required=True, help="folder of a build for this machine's processor, for the manual")
    arguments = parser.parse_args()
    try:
        print(write(arguments.binaries, arguments.kind, arguments.out, arguments.runnable))
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    return 0
