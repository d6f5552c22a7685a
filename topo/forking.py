"""Forks of this process as child processes of a run: they have its modules already."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import IO, Any

from common.units import MS_PER_S
from topo.child_process import Start


def forking(work: Callable[[], int]) -> Start:
    """The function that has a fork of this process do some work, and end with its exit code; to be given to :class:`ChildProcess`.

    This process has no other threads then: their locks would stay locked in the fork.
    """
    return partial(_fork, work)


class _Fork:
    """The part of ``subprocess.Popen`` that :class:`ChildProcess` needs.

    Args:
        pid: the process.
        stdin: writes to its standard input, if that is kept open.
        stdout: reads its standard output, if it goes here.
    """

    def __init__(self, pid: int, stdin: IO[bytes] | None, stdout: IO[bytes] | None) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.returncode: int | None = None
        self._pidfd = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
                os.close(self._pidfd)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; returns the exit code.

        Raises:
            subprocess.TimeoutExpired: it still runs after so many seconds.
        """
        if self.returncode is None:
            end = select.poll()
            end.register(self._pidfd, select.POLLIN)
            end.poll(None if timeout is None else timeout * MS_PER_S)
        status = self.poll()
        if status is None:
            raise subprocess.TimeoutExpired("fork", timeout or 0)
        return status


def _fork(work: Callable[[], int], _command: Sequence[str], *, stdin: int, stdout: int | IO[bytes], stderr: IO[bytes], **_: Any) -> _Fork:
    if stdin == subprocess.PIPE:
        input_end, to_child = os.pipe()
    else:
        input_end, to_child = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC), None
    if stdout == subprocess.PIPE:
        from_child, output_end = os.pipe()
    else:
        from_child, output_end = None, os.dup(stdout if isinstance(stdout, int) else stdout.fileno())
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        for end in (to_child, from_child):
            if end is not None:
                os.close(end)
        _be(work, (input_end, output_end, stderr.fileno()))
    os.close(input_end)
    os.close(output_end)
    return _Fork(
        pid,
        None if to_child is None else os.fdopen(to_child, "wb"),
        None if from_child is None else os.fdopen(from_child, "rb"),
    )


def _be(work: Callable[[], int], streams: Sequence[int]) -> None:
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode, closefd=False, buffering=1) for number, mode in enumerate(("r", "w", "w"))
        )
        status = work()
        sys.stdout.flush()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        # The stack of the process that was forked is no concern of the fork's.
        os._exit(status)
