"""How commands of the testbed end: what a person can mend is one clear message and an exit code, never a traceback.

Standard library only: `make` calls some of them before it has installed anything.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from protocol.errors import EXIT_CANNOT_RUN, UserError
from protocol.write_errors import cannot_write, is_about_writing

EXIT_INTERRUPTED = 130
"""As of a program that Ctrl-C has ended, and what typer makes of it."""


EXIT_READER_GONE = 128 + signal.SIGPIPE
"""Who read the output has gone, as ``head`` does: the exit code of a program that SIGPIPE has ended."""

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
        os.dup2(os.open(os.devnull, os.O_WRONLY), STANDARD_OUTPUT)  # what is still to be written is for nobody
        status = EXIT_READER_GONE
    sys.exit(status if isinstance(status, int | str) else None)


def _reader_is_gone() -> bool:
    poll = select.poll()
    poll.register(STANDARD_OUTPUT, 0)
    return any(what & select.POLLERR for _, what in poll.poll(0))


def run_command(work: Callable[[], object], interrupted: str = "interrupted") -> int:
    """Do a command's work.

    Args:
        work: what it returns is the exit code if it is a number, else 0.
        interrupted: what is said of a run that a signal has ended.

    Returns:
        The exit code.
    """
    try:
        status = work()
    except UserError as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    except KeyboardInterrupt:
        status = EXIT_INTERRUPTED
    except Exception as error:
        if hasattr(error, "format_message"):  # a mistake in the command line, in the words of typer
            print(error.format_message(), file=sys.stderr)
            return EXIT_CANNOT_RUN
        if isinstance(error, OSError) and is_about_writing(error):
            print(cannot_write(error), file=sys.stderr)
            return EXIT_CANNOT_RUN
        raise
    if status == EXIT_INTERRUPTED:
        print(interrupted, file=sys.stderr)
    return status if isinstance(status, int) else 0


def let_signals_interrupt() -> None:
    """Whatever tells this program to end is a ``KeyboardInterrupt``, so that all that was started is taken down.

    SIGINT too: a shell starts what is in its background with Ctrl-C ignored, and so would be everything that is started here.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
