"""Windows of tmux for a prompt's `xterm`: shells on hosts, which go with the prompt."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from common.errors import UserError

TMUX = "tmux"
SESSION = "nodectl"
ANSWER_S = 10.0
WINDOW_ID = "#{window_id}"


def is_there() -> bool:
    """Whether tmux is installed."""
    return shutil.which(TMUX) is not None


class Windows:
    """Of one prompt: in the session that the prompt is in, or, outside tmux, in a session of its own.

    Args:
        folder: for the socket of a session of its own.
    """

    def __init__(self, folder: Path) -> None:
        self._is_inside = bool(os.environ.get("TMUX"))
        self._server = [] if self._is_inside else ["-S", str(folder / TMUX)]
        self._opened: list[str] = []

    def open(self, name: str, command: Sequence[str]) -> str:
        """Open a window.

        Args:
            name: of the window.
            command: the one that runs in it.

        Returns:
            How to see it, in a line.

        Raises:
            UserError: tmux does not do it.
        """
        how = ["new-window"] if self._is_inside or self._opened else ["new-session", "-d", "-s", SESSION]
        where = [] if self._is_inside or not self._opened else ["-t", SESSION]
        window = self._tmux(*how, *where, "-P", "-F", WINDOW_ID, "-n", name, *command)
        self._opened.append(window)
        if self._is_inside:
            return f"{name}: a window of this tmux session"
        return f"{name}: a window of tmux; in another terminal: {' '.join([TMUX, *self._server, 'attach'])}"

    def close(self) -> None:
        """Close those that are still open."""
        for window in self._opened:
            try:
                self._tmux("kill-window", "-t", window)
            except UserError:
                continue  # closed by the user
        self._opened.clear()

    def _tmux(self, *words: str) -> str:
        try:
            done = subprocess.run([TMUX, *self._server, *words], capture_output=True, text=True, timeout=ANSWER_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UserError(f"tmux does not answer: {error}") from None
        if done.returncode != 0:
            raise UserError(f"tmux: {done.stderr.strip()}")
        return done.stdout.strip()
