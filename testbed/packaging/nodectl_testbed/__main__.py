"""The command ``testbed``, and ``python -m nodectl_testbed``."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from nodectl_testbed import TREE, make_importable

COMMANDS = TREE / "switch" / "target" / "release"


def main() -> NoReturn:
    """Run the command line."""
    make_importable()
    from common.command_end import end_with

    if "--emulate" in sys.argv:  # no package of Python's need be installed for this
        from testbed.emulated.command import main as run
    else:
        from testbed.command_line.app import main as run

    end_with(run)


def run_command() -> NoReturn:
    """Run the command of the P4 toolchain by whose name this is called."""
    name = os.path.basename(sys.argv[0])  # noqa: PTH119 - quick
    os.execv(COMMANDS / name, [name, *sys.argv[1:]])


if __name__ == "__main__":
    main()
