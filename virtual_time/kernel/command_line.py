"""``python3 -m virtual_time.kernel``: build a kernel if it is not there yet. ``--packages``: list the Debian packages that this takes.

Standard library only, since `make` calls it before anything is installed.
"""

from __future__ import annotations

import argparse
import os
import sys

from common.errors import UserError
from virtual_time.kernel.build import build
from virtual_time.kernel.choice import REMEDY, KernelChoice
from virtual_time.kernel.missing import debian_packages, why_not_here


def main(arguments: list[str]) -> None:
    """Build the kernel, or say why that is not possible."""
    parser = argparse.ArgumentParser(prog="python3 -m virtual_time.kernel", description="build the user-mode kernel for virtual time")
    parser.add_argument("--if-possible", action="store_true", help="where it cannot be built, say so and exit well")
    parser.add_argument("--kernel", default="", help=REMEDY)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at a time")
    parser.add_argument(
        "--packages", action="store_true", help="only list the Debian packages that it takes; none where it cannot be built"
    )
    options = parser.parse_args(arguments)
    if options.packages:
        print(*debian_packages())
        return
    choice = KernelChoice.of(options.kernel)
    reason = why_not_here(choice)
    if reason is not None and options.if_possible:
        print(f"no virtual time here: {reason}; runs are in real time, as root", file=sys.stderr)
        return
    if reason is not None:
        raise UserError(f"the user-mode kernel cannot be built: {reason}")
    program = build(choice, options.jobs).program
    if not options.if_possible:
        print(program)
