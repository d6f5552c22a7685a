"""The console on which commands print what people read: tables, remarks, mistakes."""

from __future__ import annotations

import sys

from rich.console import Console

WIDTH_WITHOUT_TERMINAL = 120


def terminal() -> Console:
    """Standard output, as wide as the terminal; into a file always the same. Square brackets in a text are a part of it."""
    return Console(width=None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL, markup=False)
