"""``new`` and ``check``: from an empty folder to a program that has been measured."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from common.errors import UserError
from common.installation import how
from common.shown_path import shown

EXIT_FAILED = 1
LIST = "list"


def add_to(app: typer.Typer) -> None:
    """Make them commands of ``app``."""
    app.command()(new)
    app.command()(init)
    app.command()(check)


def new(
    folder: Annotated[Path | None, typer.Argument(help="a new or empty folder")] = None,
    template: Annotated[str, typer.Option(help="the template; `list` shows all of them")] = "",
    list_them: Annotated[bool, typer.Option("--list", help="show the templates")] = False,
) -> None:
    """Make a folder with a P4 program, entries, a packet test and a scenario, which `check` checks."""
    from testbed.starting.catalogue import PAGE, USUAL, template_named, templates
    from testbed.starting.making import make_folder

    if list_them or template == LIST:
        width = max(len(one.name) for one in templates())
        for one in templates():
            print(f"{one.name:<{width}}  {one.line}")
        return
    if folder is None:
        raise UserError("no folder is named", "testbed new FOLDER [--template NAME]; testbed new --list shows the templates")
    for file in make_folder(folder, template_named(template or USUAL)):
        print(folder / file)
    print(f"begin with {shown(folder / PAGE)}; {how('.venv/bin/python -m testbed', 'testbed')} check {shown(folder)} checks all of it")


def init(folder: Annotated[Path, typer.Argument(help="a new or empty folder")]) -> None:
    """Make a folder to work in: the labs, the scenarios, a P4 program, a congestion control, a notebook."""
    from testbed.starting.working_folder import make_working_folder

    for name, what in make_working_folder(folder).items():
        print(f"{shown(folder / name):<28} {what}")


def check(
    folder: Annotated[Path, typer.Argument(help="with P4 programs, packet tests and run.toml, or some of these")],
    run: Annotated[bool, typer.Option("--run/--no-run", help="run the network after the packet tests")] = True,
    switch: Annotated[str, typer.Option(help="only the packet tests, of the program that this switch of run.toml runs")] = "",
    watches: Annotated[bool, typer.Option("--watch", help="check again on every save, until Ctrl-C")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="with --watch: run the network once, and not after each save")] = False,
) -> None:
    """Compile, run the packet tests, run run.toml in virtual time and judge its bars; exit code 1 if something fails."""
    from testbed.checking.folder_check import check_folder
    from testbed.checking.watching import watch

    if quick and not watches:
        raise UserError("--quick leaves the run out while --watch watches", "--no-run leaves it out of a single check")

    def once(number: int) -> bool:
        return check_folder(folder, lambda finding: print(finding, flush=True), run=run and not (quick and number > 1), switch=switch)

    if not watches:
        if not once(1):
            raise typer.Exit(EXIT_FAILED)
        return
    if not folder.is_dir():
        raise UserError(f"there is no folder {shown(folder)}")
    rounds = count(1)

    def again() -> None:
        try:
            once(next(rounds))
        except UserError as error:  # the folder may have something to check after the next save
            print(error, flush=True)

    watch(folder, again, lambda line: print(line, flush=True))
