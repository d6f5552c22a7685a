"""``nodectl run COMMAND`` where the host has a service: joins it and becomes the command, before all else is imported."""

from __future__ import annotations

import contextlib
import sys

from common.errors import UserError
from hosts.service.asking import JOIN, ask, join_and_execute


def main() -> int:
    """The command line of ``nodectl``; returns the exit code."""
    word, *command = sys.argv[1:] or [""]
    if word == "run" and command and not command[0].startswith("-"):
        with contextlib.suppress(UserError):  # below, the whole command line says it
            if ask(JOIN) is not None:
                join_and_execute(command)
    from hosts.service import command_line

    return command_line.main()
