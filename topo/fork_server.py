"""Programs that one Python becomes, which has imported their modules (hosts/fork_server.py): agents of hosts, and the controller."""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from common.own_module import own_module
from common.units import MS_PER_S
from hosts.agent_requests import PID_BYTES, STATUS_BYTES
from hosts.fork_server import AGENT, Main, main
from topo.child_process import ChildProcess, Start
from topo.forking import forking
from topo.janitor import Janitor

READY_S = 60.0
NAME = "the fork server"


class ForkedProcess:
    """An agent that somebody else started, with the part of ``subprocess.Popen`` that :class:`ChildProcess` needs.

    Args:
        pid: the process; agents that share it have the same.
        connection: tells how it ended.
        stdin: writes to its standard input, if that is kept open.
        stdout: reads its standard output.
    """

    def __init__(self, pid: int, connection: socket.socket, stdin: IO[bytes] | None, stdout: IO[bytes] | None) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.returncode: int | None = None
        self._connection = connection
        self._poll = select.poll()  # which takes any number of a file
        self._poll.register(connection, select.POLLIN)
        self._lock = threading.Lock()

    def ask(self, number: signal.Signals) -> None:
        """Ask it alone to stop, as a signal would ask the whole process. One that cannot be refused ends all that share the process."""
        if number is signal.SIGKILL:
            os.killpg(self.pid, number)
        elif number in (signal.SIGINT, signal.SIGTERM):
            self._connection.send(bytes([number]))

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; returns the exit code.

        Raises:
            subprocess.TimeoutExpired: it still runs after so many seconds.
        """
        status = self._look(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("agent", timeout or 0)
        return status

    def _look(self, timeout_s: float | None) -> int | None:
        with self._lock:
            if self.returncode is None and self._poll.poll(None if timeout_s is None else timeout_s * MS_PER_S):
                status = self._connection.recv(STATUS_BYTES)
                # The server is gone, and with it the testbed.
                self.returncode = int.from_bytes(status, "little", signed=True) if status else -signal.SIGKILL
                self._connection.close()
            return self.returncode


class ForkServer:
    """The one Python that becomes programs; started at once.

    Args:
        socket_path: to be made.
        log: file for the server's standard error.
        janitor: told of all processes.
        start: starts the server itself, such as :meth:`of_this_process`.

    Raises:
        UserError: it does not start.
    """

    def __init__(self, socket_path: Path, log: Path, janitor: Janitor, start: Start = subprocess.Popen) -> None:
        self._socket_path = socket_path
        self.child = ChildProcess(NAME, own_module("hosts.fork_server", str(socket_path)), log, janitor, takes_commands=True, start=start)
        self.child.wait_ready(READY_S)

    @classmethod
    def of_this_process(cls, socket_path: Path, log: Path, janitor: Janitor, programs: Mapping[str, Main]) -> ForkServer:
        """A server that is a fork of this process, whose modules it has.

        Args:
            socket_path, log, janitor: as for the server itself.
            programs: main functions of programs besides the agent.
        """
        return cls(socket_path, log, janitor, forking(lambda: main(str(socket_path), programs)()))

    def start_on(self, host_pid: int, *, alone: bool) -> Start:
        """The function that starts an agent in the namespaces of a process, to be given to :class:`ChildProcess`.

        Args:
            host_pid: the process.
            alone: the agent has a process of its own.
        """
        return partial(self._start, {"program": AGENT, "host": host_pid, "alone": alone})

    def start_program(self, program: str) -> Start:
        """The function that starts another of the server's programs in a process of its own, to be given to :class:`ChildProcess`."""
        return partial(self._start, {"program": program, "host": None, "alone": True})

    def _start(self, wanted: Mapping[str, Any], command: Sequence[str], *, stderr: IO[bytes], **_: Any) -> ForkedProcess:
        to_agent, from_agent = os.pipe(), os.pipe()
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(self._socket_path))
            request = json.dumps({**wanted, "arguments": list(command)}).encode()
            socket.send_fds(connection, [request], [to_agent[0], from_agent[1], stderr.fileno()])
            answer = connection.recv(PID_BYTES, socket.MSG_WAITALL)
        finally:
            os.close(to_agent[0])
            os.close(from_agent[1])
        if len(answer) < PID_BYTES:
            os.close(to_agent[1])
            os.close(from_agent[0])
            connection.close()
            raise ChildProcessError(errno.ECHILD, "it ended at once")
        return ForkedProcess(int.from_bytes(answer, "little"), connection, os.fdopen(to_agent[1], "wb"), os.fdopen(from_agent[0], "rb"))
