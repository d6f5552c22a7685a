"""Input of a host's program in the foreground: somebody outside is asked for it, and the clock stands still until it is there."""

from __future__ import annotations

import fcntl
import struct
import termios
from typing import Any

from engine.execute.host_windows import LFLAGS
from virtual_time.question import Asker

END_OF_INPUT, INTERRUPT = "\x04", "\x03"
"""The characters that Ctrl-D and Ctrl-C send through a terminal."""

READS = "reads"
"""Key of a question: the host whose program reads a line."""

SAID = "said"
"""Key of such a question: the beginning of a line, which the program has printed."""

_TIOCGAWAITED = 0x8004547F
"""_IOR('T', 0x7f, int), of the testbed's kernel (virtual_time/kernel/patches): does somebody wait for what will be written here?"""


def is_awaited(terminal: int) -> bool:
    """Whether a program sleeps until somebody types.

    Args:
        terminal: the file descriptor by which the prompt writes to the host's terminal.
    """
    (waiting,) = struct.unpack("i", fcntl.ioctl(terminal, _TIOCGAWAITED, struct.pack("i", 0)))
    return bool(waiting)


class ForegroundTerminal:
    """Output of a host's command, by whole lines; the beginning of a line is kept, since it may be a question."""

    def __init__(self, node: Any, asker: Asker) -> None:
        self._node = node
        self._asker = asker
        self._unfinished = ""
        self._echo = ""

    def shown(self, said: str) -> str:
        """The part of the output that is to be shown now."""
        if self._echo and said:  # a program that edits lines writes down what is typed, which the user has seen
            said, self._echo = said.removeprefix(self._echo).lstrip("\r"), ""
        whole, end, self._unfinished = (self._unfinished + said).rpartition("\n")
        return whole + end

    def ask_if_awaited(self, now_s: float) -> None:
        """Ask for a line, if the program waits for one, and give it.

        Args:
            now_s: the prompt's time.
        """
        terminal = self._node.stdin.fileno()
        if not is_awaited(terminal):
            return
        edits_lines = not termios.tcgetattr(terminal)[LFLAGS] & termios.ICANON
        typed = self._asker.ask(now_s=now_s, **{READS: self._node.name, SAID: self._unfinished})
        self._unfinished, self._echo = "", typed.rstrip("\n") if edits_lines else ""
        self._node.write(typed)

    def rest(self) -> str:
        """The last output, if it does not end a line."""
        return self._unfinished
