"""``man``: the manual page testbed(1), made of the same declarations as ``--help``, so that it cannot say anything else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_command

from common.errors import EXIT_CANNOT_RUN
from common.shown_path import shown
from common.terminal import terminal
from common.whole_files import write_whole
from testbed.places import MANUAL

NAME = "testbed"
CALLED = "python -m testbed"
SUMMARY = "a P4 testbed for congestion control"
ENDS = (
    (0, "Everything worked."),
    (1, "It ran, but something has no result, or a check failed."),
    (EXIT_CANNOT_RUN, "It could not run: the last lines give the reason and the remedy."),
    (130, "It was interrupted."),
)


def add_to(app: typer.Typer) -> None:
    """Make ``man`` a command of ``app``, which the page is about."""

    def man(out: Annotated[Path, typer.Option(help="file of the page")] = MANUAL) -> None:
        """Write the manual page of all commands; `man -l FILE` shows it."""
        write_whole(out, page(app))
        terminal().print(f"man -l {shown(out)}", highlight=False, markup=False)

    app.command()(man)


def page(app: typer.Typer) -> str:
    """The page of all commands of ``app`` in roff, for man(7)."""
    return "\n".join(_lines(get_command(app))) + "\n"


def _lines(program: Any) -> Iterator[str]:
    yield from (f'.TH {NAME.upper()} 1 "" "" "{SUMMARY}"', ".nh", ".ad l")
    yield from (".SH NAME", rf"{NAME} \- {SUMMARY}")
    yield from (".SH SYNOPSIS", rf".B {_plain(CALLED)}", r"\fICOMMAND\fR [\fIARGUMENT\fR ...]")
    yield from (
        ".SH DESCRIPTION",
        "To be called in the checkout, with its own Python, .venv/bin/python. Make has targets of the same names.",
    )
    yield ".SH COMMANDS"
    for name, command in program.commands.items():
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        yield f'.SS "{" ".join([name, *(one.metavar or one.name.upper() for one in arguments)])}"'
        yield _plain(command.help)
        for one in command.params:
            yield from (".TP", _called(one), _plain(one.help or ""))
    yield ".SH EXIT STATUS"
    for status, meaning in ENDS:
        yield from (".TP", str(status), meaning)
    yield from (".SH SEE ALSO", r".BR p4c\-bm2\-ss (1),", ".BR p4switch (1),", "docs/ of the checkout")


def _called(one: Any) -> str:
    if one.param_type_name == "argument":
        return rf"\fI{_plain(one.metavar or one.name.upper())}\fR"
    names = ", ".join(rf"\fB{_plain(name)}\fR" for name in [*one.opts, *one.secondary_opts])
    value = one.metavar or one.opts[0].lstrip("-").replace("-", "_").upper()
    return names if one.is_flag else rf"{names} \fI{value}\fR"


def _plain(text: str) -> str:
    """Text as roff takes it: nothing in it is a request or an escape, and options can be copied from the page."""
    joined = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{joined}" if joined.startswith((".", "'")) else joined
