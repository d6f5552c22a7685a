"""Options of the runs that checks need: in which time, and whether this machine is fit for it."""

from __future__ import annotations

import sys
from dataclasses import replace

from rich.console import Console

from engine.execute.time_choice import uses_virtual_time
from engine.plan.options import RunOptions
from scenario.run_request import RunRequest
from topo.preflight import check_commands, check_root


def run_options(request: RunRequest) -> RunOptions:
    """The options for a person who waits, with samples to look at afterwards (docs/live-page.md).

    Args:
        request: its time is virtual or real; empty: virtual time where it can be had.

    Raises:
        UserError: an unknown wish, or one that this machine cannot fulfil.
    """
    virtual = uses_virtual_time(request.time)
    if not virtual:
        check_root()
        check_commands()
    return RunOptions.of(replace(request, keep_samples=True), Console(quiet=not sys.stdout.isatty()), virtual=virtual)


def quiet_run_options() -> RunOptions:
    """The options for a program that checks many files: in virtual time, without progress and samples."""
    return RunOptions.of(RunRequest(), Console(quiet=True), virtual=True)
