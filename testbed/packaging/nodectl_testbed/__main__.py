"""The command ``testbed``, and ``python -m nodectl_testbed``."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from nodectl_testbed import TREE, make_importable

COMMANDS = TREE / "switch" / "target" / "release"
OLDEST_PYTHON = (3, 11)
EXIT_CANNOT_RUN = 2


def main() -> NoReturn:
    """Run the command line."""
    if sys.version_info < OLDEST_PYTHON:
        here, needed = (".".join(map(str, version[:2])) for version in (sys.version_info, OLDEST_PYTHON))
        print(
            f"this is Python {here}, and the testbed needs {needed} or newer\n  `uvx --from FILE.whl testbed run` brings one",
            file=sys.stderr,
        )
        sys.exit(EXIT_CANNOT_RUN)
    make_importable()
    from common.command_end import end_with
    from testbed.emulated import EMULATE

    if EMULATE in sys.argv:  # no package of Python's need be installed for this
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
