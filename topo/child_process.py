"""Child processes of a run: started in a session of their own, known to the janitor, waited for until they are ready."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Protocol

from common.errors import UserError
from topo.janitor import Janitor
from topo.process_state import how_it_ended

READY_EVENT = "ready"
STOP_GRACE_S = 5.0
LOG_TAIL_LINES = 8


class Process(Protocol):
    """The part of ``subprocess.Popen`` that is needed here."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    returncode: int | Any

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; returns the exit code."""


Start = Callable[..., Process]
"""Starts a command as ``subprocess.Popen`` does, with the same arguments."""

SendSignal = Callable[[Any, signal.Signals], None]
"""Sends a signal to what a :data:`Start` has returned."""


class ChildProcess:
    """One child process. Standard output carries JSON events, standard error goes to a log file.

    Args:
        name: its name in messages.
        command: program and arguments.
        log: file for its standard error.
        janitor: told of the process at once.
        takes_commands: keep its standard input open, for :meth:`tell`.
        has_events: its standard output carries events; else it goes to the log as well.
        appends: keep the log's earlier lines.
        start: the function that starts it.
        send_signal: sends it one; None: to its group.
    """

    def __init__(
        self,
        name: str,
        command: list[str],
        log: Path,
        janitor: Janitor,
        *,
        takes_commands: bool = False,
        has_events: bool = True,
        appends: bool = False,
        start: Start = subprocess.Popen,
        send_signal: SendSignal | None = None,
    ) -> None:
        self.name = name
        self.log = log
        self._send_signal = send_signal or _to_group
        self.is_let_go = False
        """Its end is wanted: it was stopped, or killed on purpose."""
        self._log_file: IO[bytes] = log.open("ab" if appends else "wb")
        self._buffer = b""
        try:
            self.process: Process = start(
                command,
                stdin=subprocess.PIPE if takes_commands else subprocess.DEVNULL,
                stdout=subprocess.PIPE if has_events else self._log_file,
                stderr=self._log_file,
                start_new_session=True,
            )
        except OSError as error:
            self._log_file.close()
            raise UserError(f"cannot start {name} ({command[0]}): {error.strerror}", "run `make setup`") from None
        janitor.watch_process(self.process.pid)

    def wait_ready(self, timeout_s: float) -> None:
        """Wait for the line ``{"event": "ready"}``.

        Raises:
            UserError: the process ended first, or did not get ready in ``timeout_s`` seconds; with the end of its log.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            event = self.next_event(deadline - time.monotonic())
            if event is None:
                status = self.process.poll()
                state = "did not get ready" if status is None else f"ended: {how_it_ended(status)}"
                raise UserError(f"{self.name} {state}\n{self.log_tail()}".rstrip(), f"its log: {self.log}")
            if event.get("event") == READY_EVENT:
                return

    def tell(self, line: str) -> None:
        """Write one line to its standard input.

        Raises:
            UserError: it takes no commands, or has ended.
        """
        try:
            if self.process.stdin is None:
                raise BrokenPipeError
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise UserError(f"{self.name} takes no commands any more\n{self.log_tail()}".rstrip(), f"its log: {self.log}") from None

    def next_event(self, timeout_s: float) -> dict[str, Any] | None:
        """The next JSON line of standard output, or None at its end or after ``timeout_s`` seconds."""
        stream = self.process.stdout
        if stream is None:
            return None
        deadline = time.monotonic() + timeout_s
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    return None
                chunk = os.read(stream.fileno(), 65536)
                if not chunk:
                    self.process.wait(timeout=STOP_GRACE_S)
                    return None
                self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            event = json.loads(line)
        except ValueError:
            return {"event": "text", "text": line.decode(errors="replace")}
        return event if isinstance(event, dict) else {"event": "text", "text": str(event)}

    def wait(self, timeout_s: float) -> int:
        """Wait for the end of the process and return its exit code.

        Raises:
            subprocess.TimeoutExpired: it is still running after ``timeout_s`` seconds.
        """
        return self.process.wait(timeout=timeout_s)

    def stop(self) -> None:
        """End the process: SIGINT, then SIGTERM, then SIGKILL to its group. Harmless if it has ended."""
        self.is_let_go = True
        self._send(signal.SIGCONT)  # a stopped process would not hear the polite ones
        for signal_number, grace_s in ((signal.SIGINT, STOP_GRACE_S), (signal.SIGTERM, STOP_GRACE_S), (signal.SIGKILL, STOP_GRACE_S)):
            if self.process.poll() is not None:
                break
            self._send(signal_number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=grace_s)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._log_file.close()

    def kill(self) -> None:
        """Kill its group at once, with SIGKILL, and wait until it is gone. :meth:`stop` has to be called nevertheless."""
        self.is_let_go = True
        self._send(signal.SIGKILL)
        self.process.wait(timeout=STOP_GRACE_S)

    def _send(self, signal_number: signal.Signals) -> None:
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError, BrokenPipeError):
                self._send_signal(self.process, signal_number)

    def log_tail(self) -> str:
        """The last lines of the log, indented."""
        try:
            lines = self.log.read_text(errors="replace").splitlines()
        except OSError:
            return ""
        return "\n".join(f"  {line}" for line in lines[-LOG_TAIL_LINES:])


def _to_group(process: Process, signal_number: signal.Signals) -> None:
    os.killpg(process.pid, signal_number)
