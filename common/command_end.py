"""How command lines end when the reader of their output has gone."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

EXIT_READER_GONE = 128 + signal.SIGPIPE
"""The exit code when the reader of the output has gone, as ``head`` does: that of a program that SIGPIPE has ended."""

STANDARD_OUTPUT = 1


def end_with(main: Callable[[], object]) -> NoReturn:
    """End the process with what a command line's main function returns; quietly if the reader of its output has gone.

    Every ``python -m …`` of the project ends so: ``python -m hosts.cca list | head`` is no mistake.

    Args:
        main: returns the exit code, or ends by ``SystemExit``.
    """
    try:
        try:
            status = main()
        except SystemExit as ended:
            status = ended.code
        sys.stdout.flush()
    except BrokenPipeError:
        if not _reader_is_gone():
            raise
        write_for_nobody()
        status = EXIT_READER_GONE
    sys.exit(status if isinstance(status, int | str) else None)


def write_for_nobody() -> None:
    """Go on without a reader: the rest of Python's buffer and all further output are thrown away."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), STANDARD_OUTPUT)


def _reader_is_gone() -> bool:
    poll = select.poll()
    poll.register(STANDARD_OUTPUT, 0)
    return any(what & select.POLLERR for _, what in poll.poll(0))
