"""Questions that show whether a process still works: asked now and then while a run goes on, so they cost next to nothing."""

from __future__ import annotations

import math
import socket
import threading
from pathlib import Path
from typing import Protocol

PING = b'{"op": "ping"}\n'
PIECE_S = 0.25
"""Waiting is counted in pieces of this length: a machine that stood still for long has then waited for one of them, not for all."""


class Question(Protocol):
    """Something that one process can be asked."""

    interval_s: float
    """How long to leave the process alone after an answer."""

    def is_answered(self, within_s: float, closing: threading.Event) -> bool:
        """Ask; whether an answer came within so many seconds. Gives up at once, with any result, when ``closing`` is set."""

    def close(self) -> None:
        """Close everything that the question holds open; nobody asks again."""


class SocketQuestion:
    """``{"op": "ping"}`` on a Unix socket: the controller's status socket, and the management socket of `p4switch`.

    At both, the part that does the work answers: the controller's event loop, and the forwarding thread.
    """

    interval_s = 0.5

    def __init__(self, path: Path) -> None:
        self._path = path

    def is_answered(self, within_s: float, closing: threading.Event) -> bool:
        """Ask, on a connection of its own; whether an answer came in time."""
        connection = None
        try:
            for _ in range(math.ceil(within_s / PIECE_S)):
                if closing.is_set():
                    break
                try:
                    connection = connection or self._asked()
                    if connection.recv(4096):
                        return True
                    connection.close()  # by the other side; perhaps it is ending
                    connection = None
                    closing.wait(PIECE_S)
                except TimeoutError:
                    continue
                except OSError:
                    closing.wait(PIECE_S)
        finally:
            if connection is not None:
                connection.close()
        return False

    def close(self) -> None:
        """Each question has a connection of its own, so nothing is left open."""

    def _asked(self) -> socket.socket:
        """A connection on which the question has been sent."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(PIECE_S)
        try:
            connection.connect(str(self._path))
            connection.sendall(PING)
        except OSError:
            connection.close()
            raise
        return connection
