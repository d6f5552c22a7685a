"""``python -m bench.studies.time_left_study COMMAND ...``: how long commands take, and how well their progress bars say so.

Each command runs by itself in a terminal of its own. Printed are its real seconds, the seconds that its bar stood there, and by how much
the bar's estimate of those was off when a tenth of them had passed. The machine is to have nothing else to do.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import shlex
import subprocess
import time
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from common.command_line import let_signals_interrupt, run_command
from common.errors import UserError

LEFT = re.compile(rb"left: (\d+):(\d\d):(\d\d)")
"""As engine/execute/progress.py writes it."""

PIECE_BYTES = 1 << 16
TENTH = 0.1
COLUMNS = "160"


@dataclass
class WatchedCommand:
    """A command and the estimates of its bar.

    Args:
        words: the command.
        took_s: real seconds of all of it.
        said: seconds after its beginning, and those that the bar says are left.
    """

    words: str
    took_s: float = 0.0
    said: list[tuple[float, float]] = field(default_factory=list)

    @property
    def bar_s(self) -> float:
        """How long the bar stood there."""
        return self.said[-1][0] - self.said[0][0] if self.said else 0.0

    @property
    def error_after_a_tenth(self) -> float | None:
        """The bar's estimate of its own time over the real one, less 1; None: there is no bar."""
        if not self.bar_s:
            return None
        begin_s = self.said[0][0]
        said_s, left_s = max(one for one in self.said if one[0] <= begin_s + TENTH * self.bar_s)
        return (said_s - begin_s + left_s) / self.bar_s - 1


def watch(words: str) -> WatchedCommand:
    """Run a command in a terminal.

    Raises:
        UserError: it failed.
    """
    found = WatchedCommand(words)
    ours, its = pty.openpty()
    begin_s = time.monotonic()
    process = subprocess.Popen(
        shlex.split(words), stdin=subprocess.DEVNULL, stdout=its, stderr=its, env={**os.environ, "COLUMNS": COLUMNS, "TERM": "xterm"}
    )
    os.close(its)
    last = b""
    while piece := _piece(ours):
        last = (last + piece)[-PIECE_BYTES:]
        for match in LEFT.finditer(piece):
            hours, minutes, seconds = map(float, match.groups())
            found.said.append((time.monotonic() - begin_s, 3600 * hours + 60 * minutes + seconds))
    os.close(ours)
    status = process.wait()
    found.took_s = time.monotonic() - begin_s
    if status:
        raise UserError(f"{words} ended with status {status}: {last[-500:].decode(errors='replace')}")
    return found


def _piece(terminal: int) -> bytes:
    try:
        return os.read(terminal, PIECE_BYTES)
    except OSError:  # Linux says so when nobody has the other side open any more
        return b""


def main() -> int:
    """Print a row for each command."""
    let_signals_interrupt()
    parser = argparse.ArgumentParser(prog="python -m bench.studies.time_left_study", description=__doc__)
    parser.add_argument("commands", nargs="+", metavar="COMMAND", help="words of a command, quoted: 'make run'")
    console = Console()
    for words in parser.parse_args().commands:
        one = watch(words)
        error = one.error_after_a_tenth
        table = Table("command", "took, s", "bar, s", "estimate after a tenth", show_header=True)
        table.add_row(one.words, f"{one.took_s:.0f}", f"{one.bar_s:.0f}", "none" if error is None else f"{100 * error:+.0f} %")
        console.print(table)
    return 0


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: run_command(main))
