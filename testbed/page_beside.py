"""The live page beside a run: a process of its own, which reads the run's folder and can disturb nothing (docs/live-page.md).

It is started by name: the page knows runs, runs do not know the page.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

END_S = 5.0
NICENESS = "10"


@contextmanager
def page_beside(folder: Path, options: Sequence[str], say: Callable[[str], None]) -> Iterator[None]:
    """Serve a run's page while the block lasts.

    A page that cannot be served is one line, and the run goes on without.

    Args:
        folder: of the run.
        options: for ``python -m testbed live``.
        say: shows a line.
    """
    command = ["nice", "-n", NICENESS, sys.executable, "-m", "testbed", "live", *options, str(folder)]
    server = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline().strip()
        say(line or "the live page did not start; the run goes on without it")
        yield
    finally:
        server.terminate()
        try:
            server.wait(END_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
