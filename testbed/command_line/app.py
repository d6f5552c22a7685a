"""All commands, and how the program ends."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

import typer

from common.command_line import let_signals_interrupt, run_command
from scenario.run_request import words_of_make
from testbed.command_line import labs, machine, manual, pages, papers, scenarios, starting, tutorials
from testbed.command_line.make_words import with_options
from testbed.emulated import EMULATE

BY_MAKE = "TESTBED_BY_MAKE"
"""Set by the Makefile: make's variables are in the environment and are options."""

INSTALLED_AS = {"testbed", "nodectl-testbed"}
"""Names of the command where it is installed. A shell completes words of a command, not of ``python -m testbed``."""

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, add_completion=Path(sys.argv[0]).name in INSTALLED_AS)
for group in (scenarios, starting, tutorials, papers, labs, pages, machine, manual):
    group.add_to(app)


def main() -> int:
    """Run the command line."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    words = sys.argv[1:]
    if os.environ.pop(BY_MAKE, "") and words:
        words += words_of_make(words[0], os.environ)
    if EMULATE in words:
        from testbed.emulated.command import main as emulated  # archives and compression take a while to load

        return emulated(words)
    let_signals_interrupt()
    return run_command(lambda: app(with_options(words), standalone_mode=False), "interrupted; everything that was started is down again")
