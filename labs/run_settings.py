"""The kind of time that runs are in, and whether this machine is fit for it."""

from __future__ import annotations

import sys

from rich.console import Console

from engine.execute.time_choice import uses_virtual_time
from labs.check.runs import RunSettings
from topo.preflight import check_commands, check_root


def run_settings(wanted_time: str) -> RunSettings:
    """The settings for the wish of ``TIME=``; empty: virtual time where it can be had.

    Raises:
        UserError: an unknown wish, or one that this machine cannot fulfil.
    """
    virtual = uses_virtual_time(wanted_time)
    if not virtual:
        check_root()
        check_commands()
    return RunSettings(virtual, Console(quiet=not sys.stdout.isatty()), keep_samples=True)
