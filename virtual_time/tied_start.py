"""``python -I -S tied_start.py PARENT SIGNAL PROCESSOR COMMAND…``: becomes a command that gets SIGNAL when PARENT ends, however it ends.

PROCESSOR is the one that the command stays on; -1: any. Standard library only.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

PR_SET_PDEATHSIG = 1
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
GIVEN = "/proc/self/environ"
"""The environment as it was given: Python may add LC_CTYPE to its own."""

ANY_PROCESSOR = -1


def tied(command: Sequence[str], with_signal: signal.Signals, processor: int | None = None) -> list[str]:
    """The command line that starts a command so that it ends with this process.

    Args:
        command: its program, with the whole path, and arguments.
        with_signal: its signal at the end of this process.
        processor: the one that it stays on; None: any.
    """
    own = [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(int(with_signal))]
    return [*own, str(ANY_PROCESSOR if processor is None else processor), *command]


def main(parent: int, with_signal: int, processor: int, command: list[str]) -> None:
    """Become the command, as if Python had never been here."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, with_signal, 0, 0, 0)
    if os.getppid() != parent:
        return  # it ended before this was arranged
    if processor != ANY_PROCESSOR:
        os.sched_setaffinity(0, {processor})
    for number in IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    with open(GIVEN, "rb") as file:  # noqa: PTH123 - quick
        environment = dict(entry.split(b"=", 1) for entry in file.read().split(b"\0") if b"=" in entry)
    try:
        os.execve(command[0], command, environment)
    except OSError as error:
        sys.exit(f"cannot start {command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
