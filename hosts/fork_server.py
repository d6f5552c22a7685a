"""``python -m hosts.fork_server SOCKET``: becomes an agent of a host whenever somebody asks, without importing anything again.

Importing its modules is most of what a program's start costs, and in virtual time programs' starts are most of what a network's start
costs. So one Python imports them, and forks: once for all agents that share a process (hosts/shared_agents.py). Each program that is to
be alone in a process, as somebody may kill it, is a fork too. Each connection to the socket asks for one program (topo/fork_server.py)
and stays open until that has ended. The server ends when its standard input does.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import selectors
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any

from hosts import command_line, shared_agents
from hosts.agent_requests import REQUEST_BYTES, STANDARD_STREAMS, pid_message, status_message
from hosts.events import emit
from hosts.host_namespaces import enter

EXIT_NOT_STARTED = 127
AGENT = "agent"
"""The name of the program that this server always has."""

Main = Callable[[list[str]], int]
"""A program: its arguments, and its exit code."""

Next = Callable[[], int]
"""The next work of a process: to end, or, in a fork, to be a program."""


def main(path: str, programs: Mapping[str, Main] | None = None) -> Next:
    """Serve until standard input ends.

    Args:
        path: of the Unix socket to be made.
        programs: main functions of programs besides the agent.
    """
    with contextlib.suppress(KeyboardInterrupt), socket.socket(socket.AF_UNIX) as listener, selectors.DefaultSelector() as selector:
        listener.bind(path)
        listener.listen()
        selector.register(sys.stdin, selectors.EVENT_READ)
        selector.register(listener, selectors.EVENT_READ)
        gc.freeze()  # a collection would write to each object's page, which is the forks' too
        emit("ready")
        forks = _Forks(selector, {**(programs or {}), AGENT: command_line.main})
        while True:
            for key, _ in selector.select():
                if key.fileobj is sys.stdin:
                    return lambda: 0
                if key.fileobj is not listener:
                    forks.tell_end(key.fd)
                elif (after := forks.start(listener.accept()[0])) is not None:
                    return after
    return lambda: 0


class _Forks:
    """The processes of programs.

    Args:
        selector: their ends are among what it waits for.
        programs: main functions, by name.
    """

    def __init__(self, selector: selectors.BaseSelector, programs: Mapping[str, Main]) -> None:
        self._selector = selector
        self._programs = programs
        self._running: dict[int, tuple[int, socket.socket | None]] = {}
        self._shared: socket.socket | None = None

    def start(self, connection: socket.socket) -> Next | None:
        """Start the program that is asked for; in a fork, return its work."""
        request, descriptors, _, _ = socket.recv_fds(connection, REQUEST_BYTES, STANDARD_STREAMS)
        wanted = json.loads(request)
        if wanted["alone"]:
            program = self._programs[wanted["program"]]
            after = self._fork(lambda: _be(program, wanted, descriptors, connection), connection)
            if after is not None:
                return after
        else:
            after = self._fork_shared()
            with connection, contextlib.suppress(BrokenPipeError):  # it has ended, and with it all that share it: the asker hears of it
                if self._shared is not None:
                    socket.send_fds(self._shared, [request], [*descriptors, connection.fileno()])
        for descriptor in descriptors:
            os.close(descriptor)
        return after

    def _fork_shared(self) -> Next | None:
        if self._shared is not None:
            return None
        self._shared, requests = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        after = self._fork(lambda: _share(requests), None)
        if after is None:
            requests.close()
        return after

    def _fork(self, after: Next, connection: socket.socket | None) -> Next | None:
        pid = os.fork()
        if pid == 0:
            for pidfd, (_, of_another) in self._running.items():
                os.close(pidfd)
                if of_another is not None:
                    of_another.close()
            if self._shared is not None:
                self._shared.close()
                self._shared = None
            return after
        pidfd = os.pidfd_open(pid)
        self._running[pidfd] = (pid, connection)
        self._selector.register(pidfd, selectors.EVENT_READ)
        return None

    def tell_end(self, pidfd: int) -> None:
        """Tell the one that has asked for it that a process has ended."""
        self._selector.unregister(pidfd)
        os.close(pidfd)
        pid, connection = self._running.pop(pidfd)
        _, status = os.waitpid(pid, 0)
        if connection is not None:
            with connection, contextlib.suppress(BrokenPipeError):  # perhaps nobody wants to know any more
                connection.sendall(status_message(os.waitstatus_to_exitcode(status)))


def _be(program: Main, request: dict[str, Any], streams: list[int], connection: socket.socket) -> int:
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if request["host"] is not None:
        try:
            enter(request["host"])
        except OSError as error:
            print(f"cannot enter the host: {error.strerror}", file=sys.stderr)
            return EXIT_NOT_STARTED
    with connection:
        connection.sendall(pid_message(os.getpid()))
    status = program(request["arguments"])
    sys.stdout.flush()
    # To take down all that was imported would write to each of its pages.
    os._exit(status)


def _share(requests: socket.socket) -> int:
    os.setsid()
    return shared_agents.serve(requests)


if __name__ == "__main__":
    from common.command_end import end_with

    parser = argparse.ArgumentParser(prog="python -m hosts.fork_server", description="Become an agent of a host whenever asked.")
    parser.add_argument("socket", help="Unix socket to be made, where agents are asked for")
    end_with(lambda: main(parser.parse_args().socket)())
