"""``doctor``, ``kernel``, ``bench`` and ``python``: the abilities and the speed of this machine."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from common.installation import PROJECT
from common.terminal import terminal

EXIT_CANNOT_RUN_ANYTHING = 1


def add_to(app: typer.Typer) -> None:
    """Make them commands of ``app``."""
    app.command()(doctor)
    app.command()(kernel)
    own_options = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    app.command(context_settings=own_options)(bench)
    app.command(context_settings=own_options)(python)


def doctor() -> None:
    """Print the abilities of this machine, with a remedy for each missing one; exit code 1 if it can run nothing."""
    from testbed.doctor import can_run, examine, shown

    found = examine()
    terminal().print(shown(found))
    if not can_run(found):
        raise typer.Exit(EXIT_CANNOT_RUN_ANYTHING)


def kernel(jobs: Annotated[int | None, typer.Option(help="compilers at a time; left out, as many as processors", min=1)] = None) -> None:
    """Build the user-mode kernel for virtual time if it is missing, and print its path."""
    from virtual_time.kernel.command_line import main as build

    build([] if jobs is None else ["--jobs", str(jobs)])


def python(context: typer.Context) -> None:
    """Run Python with the testbed's modules: your own program, or `-m jupyterlab`; further words go to Python."""
    known = os.pathsep.join([str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])])
    os.execve(sys.executable, [sys.executable, *context.args], os.environ | {"PYTHONPATH": known})


def bench(context: typer.Context) -> None:
    """Compile, forward and fill tables, beside p4c and BMv2 where they are on PATH; `bench --help` has its options."""
    from bench.command_line import main as measure  # only here: other commands need none of its imports

    own = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    own.command()(measure)
    own(context.args, prog_name="python -m testbed bench", standalone_mode=False)
