"""``--emulate`` on the testbed's command line: the rest of the line runs in an emulated machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from common.command_line import let_signals_interrupt, run_command
from common.errors import UserError
from testbed.emulated import EMULATE
from testbed.emulated.guest import emulate

KERNEL = f"{EMULATE}-kernel"


def main(words: Sequence[str] | None = None) -> int:
    """Take our options off a command line, and run the rest of it; returns its exit code.

    Args:
        words: the command line; None: this program's.
    """
    let_signals_interrupt()
    given = sys.argv[1:] if words is None else words
    return run_command(lambda: emulate(*_taken_off(given), Path.cwd()), "interrupted; the emulated machine is off")


def _taken_off(words: Sequence[str]) -> tuple[list[str], str]:
    """The words without our options, and the kernel that these name."""
    rest, kernel, given = [], "", iter(words)
    for word in given:
        name, equals, value = word.partition("=")
        if name == KERNEL:
            kernel = value if equals else next(given, "")
            if not kernel:
                raise UserError(f"{KERNEL} needs a file", f"{KERNEL} FILE: a kernel, or a Debian package of one")
        elif word != EMULATE:
            rest.append(word)
    return rest, kernel
