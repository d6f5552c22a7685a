"""Inside: programs on hosts that go on beside the prompt's other commands, one for each host, as in a terminal window of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import termios
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from virtual_time.console import tell

WINDOW = "window"
"""The event: a window's program has said something (``text``), or has ended (``status``)."""

INTERRUPT = "^C"
"""The line that interrupts a window's program."""

CHUNK_BYTES = 4096
LINE_S = 1.0
"""How long time passes for a line whose program does not end; then it goes on while others run."""

ARRIVAL_S = 0.2
"""Time after a program's end in which its last packets reach the programs of other windows."""

END_S = 2.0
LFLAGS = 3
"""Where ``termios.tcgetattr`` has the local modes."""


class HostWindow:
    """Of one host.

    Args:
        node: Mininet's host.
        addresses: of hosts, which commands may call by their names, as Mininet has it.
    """

    def __init__(self, node: Any, addresses: Mapping[str, str]) -> None:
        self._node = node
        self._addresses = addresses
        self._process: subprocess.Popen[bytes] | None = None
        self._terminal = -1
        self._reader: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether it has a program."""
        return self._reader is not None and self._reader.is_alive()

    def line(self, line: str) -> None:
        """Take a line: for the program that runs, or, where there is none, a command for a shell.

        Args:
            line: without its end; INTERRUPT interrupts the program.
        """
        if line == INTERRUPT:
            self._signal(signal.SIGINT)
        elif self.is_running:
            os.write(self._terminal, f"{line}\n".encode())
        elif line.strip():
            self._start(" ".join(self._addresses.get(word, word) for word in line.split(" ")))

    def close(self) -> None:
        """End its program."""
        self._signal(signal.SIGKILL)
        if self._reader is not None:
            self._reader.join(END_S)

    def _start(self, command: str) -> None:
        self._terminal, programs_end = os.openpty()
        modes = termios.tcgetattr(programs_end)
        modes[LFLAGS] &= ~termios.ECHO  # the user has seen what the user typed
        termios.tcsetattr(programs_end, termios.TCSANOW, modes)
        # mnexec makes it the leader of a session, so that all of it can be interrupted.
        self._process = self._node.popen(["bash", "-c", command], stdin=programs_end, stdout=programs_end, stderr=programs_end)
        os.close(programs_end)
        self._reader = threading.Thread(target=self._read, args=(self._process, self._terminal), daemon=True)
        self._reader.start()

    def _read(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        with suppress(OSError):  # how a terminal says that nobody is at its other end any more
            while said := os.read(terminal, CHUNK_BYTES):
                tell(WINDOW, host=self._node.name, text=said.decode(errors="replace").replace("\r\n", "\n"))
        os.close(terminal)
        tell(WINDOW, host=self._node.name, status=process.wait())

    def _signal(self, number: signal.Signals) -> None:
        if self.is_running and self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


class HostWindows:
    """Of all hosts of a prompt.

    Args:
        addresses: of hosts, by name.
    """

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._addresses = addresses
        self._windows: dict[str, HostWindow] = {}

    def line(self, node: Any, line: str, pass_time: Callable[[float, Callable[[], bool]], None]) -> None:
        """Give a host's window a line.

        Args:
            node: Mininet's host.
            line: see :meth:`HostWindow.line`.
            pass_time: lets so many seconds pass, or fewer, if what it is given says no.
        """
        window = self._windows.setdefault(node.name, HostWindow(node, self._addresses))
        window.line(line)
        pass_time(LINE_S, lambda: window.is_running)
        if not window.is_running and any(other.is_running for other in self._windows.values()):
            pass_time(ARRIVAL_S, lambda: True)

    def close(self) -> None:
        """End all programs."""
        for window in self._windows.values():
            window.close()
