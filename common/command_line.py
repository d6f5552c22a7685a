"""How commands of the testbed end: a mistake that a person can mend gives one clear message and an exit code, never a traceback.

Standard library only: `make` calls some of them before it has installed anything.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType

from common.errors import EXIT_CANNOT_RUN, UserError
from common.write_errors import cannot_write, is_about_writing

EXIT_INTERRUPTED = 130
"""The exit code of a program that Ctrl-C has ended; typer has the same."""


def run_command(work: Callable[[], object], interrupted: str = "interrupted") -> int:
    """Do a command's work.

    Args:
        work: its result is the exit code if it is a number, else that is 0.
        interrupted: the message about a run that a signal has ended.

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
    """Signals that tell this program to end raise ``KeyboardInterrupt``, so that everything that was started is taken down.

    SIGINT is one of them: a shell starts its background jobs with Ctrl-C ignored, and all programs started here would inherit that.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
