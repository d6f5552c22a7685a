"""How a host's program is asked to stop: by a signal; among others in one process, by a byte on a connection of its own."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Here(threading.local):
    connection: socket.socket | None = None


_here = _Here()


@contextmanager
def asked_by(connection: socket.socket) -> Iterator[None]:
    """Programs of this thread are asked by the connection, and stop at its end."""
    _here.connection = connection
    try:
        yield
    finally:
        _here.connection = None


def when_asked(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Have ``stop`` called in the event loop of this thread, once it is asked.

    Args:
        loop: the event loop.
        stop: stops the program; it may be called several times.
    """
    connection = _here.connection
    if connection is None:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
        return

    def heard() -> None:
        if not connection.recv(1):
            loop.remove_reader(connection)
        stop()

    loop.add_reader(connection, heard)
