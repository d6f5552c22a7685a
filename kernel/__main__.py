"""``python3 -m kernel``: build the kernel if it is not there yet.

Standard library only, since `make` calls it before anything is installed.
"""

from __future__ import annotations

import argparse
import os
import sys

from kernel.build import build
from kernel.missing import why_not_here
from protocol.errors import EXIT_CANNOT_RUN, UserError


def main(arguments: list[str]) -> int:
    """Build, or say why not."""
    parser = argparse.ArgumentParser(prog="python3 -m kernel", description="build the user-mode kernel for virtual time")
    parser.add_argument("--if-possible", action="store_true", help="where it cannot be built, say so and exit well")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at a time")
    options = parser.parse_args(arguments)
    reason = why_not_here()
    if reason is not None and options.if_possible:
        print(f"no virtual time here: {reason}; runs are in real time, as root", file=sys.stderr)
        return 0
    try:
        if reason is not None:
            raise UserError(f"the user-mode kernel cannot be built: {reason}")
        print(build(jobs=options.jobs).program)
    except UserError as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
