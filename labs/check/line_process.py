"""A program that answers each line of JSON with one, within a time; a program that does not come to an end is ended."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from virtual_time.process_table import processor_s

MEMORY_BYTES = 4 << 30
"""The limit of address space; a program that takes more is out of hand."""

LOOK_INTERVAL_S = 0.1
LONGEST_ANSWER_BYTES = 16 << 20
WAITING = 6
"""If the process waits, an answer may take this many times its time for computing."""


class StoppedError(Exception):
    """It did not answer: too late, or it has ended. The text says which."""


class LineProcess:
    """A child process, asked and answered line by line.

    Args:
        command: program and arguments.
        answer_s: processor time for each answer, in seconds; of real time it may be more, on a busy machine.
        folder: where it runs.
        environment: of the process; None: this one's.
    """

    def __init__(
        self, command: Sequence[str], answer_s: float, folder: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self._answer_s = answer_s
        self._rest = b""
        self._why_stopped = ""
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=None if environment is None else dict(environment),
            start_new_session=True,
            preexec_fn=limited(MEMORY_BYTES),
        )

    def ask(self, *, within_s: float | None = None, **request: Any) -> dict[str, Any]:
        """The answer to a request.

        Args:
            within_s: instead of the usual processor time.
            request: the fields of the request.

        Raises:
            StoppedError: there is none, or there was none before.
        """
        if self._why_stopped:
            raise StoppedError(self._why_stopped)
        assert self._process.stdin is not None
        try:
            try:
                self._process.stdin.write(json.dumps(request).encode() + b"\n")
                self._process.stdin.flush()
            except OSError:
                raise StoppedError(self._how_it_ended()) from None
            answer = _object_in(self._line(within_s or self._answer_s))
        except StoppedError as error:
            self._why_stopped = str(error)
            raise
        return answer

    def close(self) -> None:
        """End it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def __enter__(self) -> LineProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _line(self, within_s: float) -> bytes:
        assert self._process.stdout is not None
        begin_s, computed_s = time.monotonic(), self._processor_s()
        while b"\n" not in self._rest:
            if select.select([self._process.stdout], [], [], LOOK_INTERVAL_S)[0]:
                new = os.read(self._process.stdout.fileno(), 1 << 20)
                if not new:
                    raise StoppedError(self._how_it_ended())
                self._rest += new
                if len(self._rest) > LONGEST_ANSWER_BYTES:
                    raise StoppedError(f"it prints without end: {LONGEST_ANSWER_BYTES >> 20} MB are no answer")
            elif self._processor_s() - computed_s > within_s:
                raise StoppedError(f"no answer after {within_s:g} s of computing")
            elif time.monotonic() - begin_s > within_s * WAITING:
                raise StoppedError(f"no answer within {within_s * WAITING:g} s")
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _processor_s(self) -> float:
        """Processor time that it has used: a busy machine makes it slow, but not more."""
        return processor_s(self._process.pid)

    def _how_it_ended(self) -> str:
        self._process.wait()
        assert self._process.stderr is not None
        said = self._process.stderr.read().decode(errors="replace").strip()
        return said or f"it ended with exit code {self._process.returncode}"


def _object_in(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise StoppedError("its answer is none: something else was written in between")
    return answer


def limited(memory_bytes: int, processor_s: int | None = None) -> Callable[[], None]:
    """For ``preexec_fn``: limits the memory and processor time of a program of a student's."""

    def limit() -> None:
        _lower(resource.RLIMIT_AS, memory_bytes)
        _lower(resource.RLIMIT_CORE, 0)
        if processor_s is not None:
            _lower(resource.RLIMIT_CPU, processor_s)

    return limit


def _lower(limit: int, most: int) -> None:
    """In a sandbox it may be lower already, and cannot be raised."""
    _, hard = resource.getrlimit(limit)
    value = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(limit, (value, value))
