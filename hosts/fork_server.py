"""``python -m hosts.fork_server SOCKET``: becomes an agent of a host whenever somebody asks, without importing anything again.

Importing its modules is most of what an agent's start costs, and in virtual time agents are most of what a network's start costs. So
one Python imports them, and forks. Each connection to the socket asks for one agent (topo/forked_agents.py) and stays open until that
has ended. The server ends when its standard input does.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import json
import os
import selectors
import socket
import sys
from collections.abc import Callable
from typing import Any

from hosts import __main__ as hosts
from hosts.events import emit

REQUEST_BYTES = 65536
STANDARD_STREAMS = 3
STATUS_BYTES = 4
"""Of an exit status as ``Popen.returncode`` has it, little-endian, signed."""
PID_BYTES = 8
"""Sent first, by the agent itself, once it is on its host. A status alone means that it did not get there."""
NAMESPACES = ("net", "mnt")
"""In this order: the host's /proc may not show the process any more."""
EXIT_NOT_STARTED = 127

_libc = ctypes.CDLL(None, use_errno=True)


def main(path: str) -> Callable[[], int]:
    """Serve until standard input ends.

    Returns:
        What this process has to do next: end, or, in a fork, be an agent.
    """
    with contextlib.suppress(KeyboardInterrupt), socket.socket(socket.AF_UNIX) as listener, selectors.DefaultSelector() as selector:
        listener.bind(path)
        listener.listen()
        selector.register(sys.stdin, selectors.EVENT_READ)
        selector.register(listener, selectors.EVENT_READ)
        gc.freeze()  # a collection would write to each object's page, which is the forks' too
        emit("ready")
        running: dict[int, tuple[int, socket.socket]] = {}
        while True:
            for key, _ in selector.select():
                if key.fileobj is sys.stdin:
                    return lambda: 0
                if key.fileobj is listener:
                    connection, _ = listener.accept()
                    request, descriptors, _, _ = socket.recv_fds(connection, REQUEST_BYTES, STANDARD_STREAMS)
                    pid = os.fork()
                    if pid == 0:
                        for pidfd, (_, of_another) in running.items():
                            os.close(pidfd)
                            of_another.close()
                        return lambda: _be_agent(json.loads(request), descriptors, connection)
                    for descriptor in descriptors:
                        os.close(descriptor)
                    pidfd = os.pidfd_open(pid)
                    running[pidfd] = (pid, connection)
                    selector.register(pidfd, selectors.EVENT_READ)
                else:
                    pidfd = key.fd
                    selector.unregister(pidfd)
                    os.close(pidfd)
                    _tell_end(*running.pop(pidfd))
    return lambda: 0


def _tell_end(pid: int, connection: socket.socket) -> None:
    _, status = os.waitpid(pid, 0)
    with connection, contextlib.suppress(BrokenPipeError):  # perhaps nobody wants to know any more
        connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(STATUS_BYTES, "little", signed=True))


def _be_agent(request: dict[str, Any], streams: list[int], connection: socket.socket) -> int:
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    try:
        _enter_namespaces(request["host"])
    except OSError as error:
        print(f"cannot enter the host: {error.strerror}", file=sys.stderr)
        return EXIT_NOT_STARTED
    with connection:
        connection.sendall(os.getpid().to_bytes(PID_BYTES, "little"))
    status = hosts.main(request["arguments"])
    sys.stdout.flush()
    # To take down all that was imported would write to each of its pages.
    os._exit(status)


def _enter_namespaces(pid: int) -> None:
    folder = os.getcwd()  # noqa: PTH109 - pathlib is not needed here
    namespaces = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in NAMESPACES]
    for namespace in namespaces:
        if _libc.setns(namespace, 0) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        os.close(namespace)
    os.chdir(folder)


if __name__ == "__main__":
    from common.command_end import end_with

    parser = argparse.ArgumentParser(prog="python -m hosts.fork_server", description="Become an agent of a host whenever asked.")
    parser.add_argument("socket", help="Unix socket to be made, where agents are asked for")
    end_with(lambda: main(parser.parse_args().socket)())
