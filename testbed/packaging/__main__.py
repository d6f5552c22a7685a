"""``python -m testbed.packaging --binaries FOLDER --platform NAME --out FOLDER``: write the wheel of the testbed, and print its path."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from common.command_end import end_with
from common.command_line import run_command
from testbed.packaging.writing import write


def main(arguments: list[str]) -> None:
    """Read the command line, write the wheel, and print its path."""
    parser = argparse.ArgumentParser(prog="python -m testbed.packaging", description="Write the wheel of the testbed.")
    parser.add_argument("--binaries", type=Path, required=True, help="folder of the toolchain's commands, linked for an old C library")
    parser.add_argument("--platform", required=True, help="such as manylinux_2_17_x86_64")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at a time")
    options = parser.parse_args(arguments)
    print(write(options.binaries, options.platform, options.out, options.jobs))


if __name__ == "__main__":
    end_with(lambda: run_command(lambda: main(sys.argv[1:])))
