"""The console on which commands print what people read: tables, remarks, mistakes."""

from __future__ import annotations

import sys

from rich.console import Console

WIDTH_WITHOUT_TERMINAL = 120


def terminal(width_without: int = WIDTH_WITHOUT_TERMINAL) -> Console:
    """Standard output, as wide as the terminal; into a file always the same. Square brackets in a text are a part of it.

    Args:
        width_without: letters a line where there is no terminal.
    """
    return Console(width=None if sys.stdout.isatty() else width_without, markup=False)
