"""Windows of tmux for hosts of a prompt in virtual time.

Their lines are carried out in turn with the prompt's; between lines the clock stands still, as ever.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from common.errors import UserError
from common.own_module import own_module
from engine.execute.prompt_windows import Windows, is_there
from virtual_time.console import Event

COMMAND = "window"
"""Of the prompt inside: ``window HOST LINE``."""

CLIENT = "testbed.window_client"
SOCKET = "windows.sock"


class HostWindows:
    """Opened when they are wanted first."""

    def __init__(self) -> None:
        self._folder = Path()
        self._windows: Windows | None = None
        self._connections: dict[str, socket.socket] = {}
        self._lines: deque[str] = deque()
        self._woken, self._wake = os.pipe()
        self._server: socket.socket | None = None
        self._shown: dict[str, str] = {}

    @property
    def wakes(self) -> int | None:
        """A file descriptor that can be read when a line has come; None: there are no windows."""
        return None if self._server is None else self._woken

    def open(self, hosts: Sequence[str]) -> None:
        """Open a window for each host; a line says why one cannot be opened."""
        if not is_there():
            print("windows are tmux's, which is not installed here: window h1 COMMAND runs one beside others")
            return
        if self._server is None:
            self._folder = Path(tempfile.mkdtemp(prefix="nodectl-"))  # a socket's path may have 107 bytes
            self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._server.bind(str(self._folder / SOCKET))
            self._server.listen()
            threading.Thread(target=self._accept, args=(self._server,), daemon=True).start()
            self._windows = Windows(self._folder)
        assert self._windows is not None
        for host in hosts:
            try:
                print(self._windows.open(host, own_module(CLIENT, str(self._folder / SOCKET), host)))
            except UserError as error:
                print(error)

    def next_line(self) -> str | None:
        """A line for the prompt inside that a window has given; None: there is none."""
        if not self._lines:
            return None
        os.read(self._woken, 1)
        return self._lines.popleft()

    def show(self, event: Event) -> None:
        """Show what a window's program has said: in its window, or, where there is none, with the host's name."""
        host = str(event["host"])
        connection = self._connections.get(host)
        if connection is not None:
            text = str(event["text"]) if "text" in event else _prompt(host)
            with suppress(OSError):
                connection.sendall(text.encode())
            return
        *lines, rest = (self._shown.pop(host, "") + str(event.get("text", ""))).split("\n")
        if "status" in event:
            lines, rest = [*lines, *([rest] if rest else [])], ""
            lines += [f"ended: {event['status']}"] if event["status"] else []
        self._shown[host] = rest
        for line in lines:
            print(f"{host}| {line}", flush=True)

    def close(self) -> None:
        """Close all of them."""
        if self._windows is not None:
            self._windows.close()
        if self._server is not None:
            self._server.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self, server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("r", encoding="utf-8", errors="replace") as lines:
            host = lines.readline().strip()
            self._connections[host] = connection
            connection.sendall(_prompt(host).encode())
            for line in lines:
                self._lines.append(f"{COMMAND} {host} {line.rstrip()}")
                os.write(self._wake, b".")
        self._connections.pop(host, None)


def _prompt(host: str) -> str:
    return f"{host}# "
