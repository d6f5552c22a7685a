"""The agents of many hosts in one process: a thread each, in its host's network namespace.

An agent with a process of its own takes 17 MB of memory: Python counts references, and so writes to 4,500 pages of its modules.
A thread shares these pages. Sockets belong to the namespace of the thread that makes them, and so do those of the threads that it starts.
"""

from __future__ import annotations

import io
import json
import os
import socket
import sys
import threading
import traceback
from typing import Any, TextIO

from common.errors import EXIT_CANNOT_RUN
from hosts import command_line
from hosts.agent_requests import REQUEST_BYTES, STANDARD_STREAMS, pid_message, status_message
from hosts.asked_to_stop import asked_by
from hosts.host_namespaces import enter

DESCRIPTORS = STANDARD_STREAMS + 1
"""Of a request: the standard streams, and the connection."""


class _StreamOfThread(io.TextIOBase):
    """A standard stream that is another one in each thread that has set its own.

    Args:
        otherwise: for the other threads.
    """

    def __init__(self, otherwise: TextIO) -> None:
        self._otherwise = otherwise
        self._of_thread = threading.local()

    def use(self, stream: Any) -> None:
        """Use this one in the current thread."""
        self._of_thread.stream = stream

    @property
    def _stream(self) -> TextIO:
        found: TextIO = getattr(self._of_thread, "stream", self._otherwise)
        return found

    def write(self, text: str) -> int:
        """Write what nobody may read any more: the others' streams go on."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            return len(text)

    def flush(self) -> None:
        """Write at once."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            return

    def fileno(self) -> int:
        """The descriptor of this thread's."""
        return self._stream.fileno()


def serve(requests: socket.socket) -> int:
    """Start an agent for each request, until there are no more requests: then all of them end.

    Args:
        requests: the fork server's own requests come by it, with the descriptors of each.
    """
    streams = [_StreamOfThread(stream) for stream in (sys.stdin, sys.stdout, sys.stderr)]
    sys.stdin, sys.stdout, sys.stderr = streams
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, REQUEST_BYTES, DESCRIPTORS)
        if not request:
            # To wait for them would be to wait for hosts that send.
            os._exit(0)
        *of_host, connection = descriptors
        arguments = (json.loads(request), of_host, streams, socket.socket(fileno=connection))
        threading.Thread(target=_be_agent, args=arguments, daemon=True, name="agent").start()


def _be_agent(request: dict[str, Any], descriptors: list[int], streams: list[_StreamOfThread], connection: socket.socket) -> None:
    # Standard input stays open: a thread may be reading, and must not read another host's under the same number.
    files = [
        os.fdopen(descriptor, mode, buffering, closefd=mode == "w")
        for descriptor, mode, buffering in zip(descriptors, ("r", "w", "w"), (-1, 1, 1), strict=True)
    ]
    for stream, file in zip(streams, files, strict=True):
        stream.use(file)
    with connection:
        try:
            enter(request["host"], ("net",))
        except OSError as error:
            print(f"cannot enter the host: {error.strerror}", file=sys.stderr)
        else:
            connection.sendall(pid_message(os.getpid()))
            with asked_by(connection):
                status = _status(request["arguments"])
            for file in files[1:]:
                file.flush()
            try:
                connection.sendall(status_message(status))
            except BrokenPipeError:
                return  # perhaps nobody wants to know any more
        finally:
            for file in files[1:]:
                file.close()


def _status(arguments: list[str]) -> int:
    try:
        return command_line.main(arguments)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else EXIT_CANNOT_RUN
    except Exception:
        traceback.print_exc()
        return 1
