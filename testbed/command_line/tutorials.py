"""``tutorial``: an exercise in p4lang's layout, as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def add_to(app: typer.Typer) -> None:
    """Make it a command of ``app``."""
    app.command()(tutorial)


def tutorial(
    folder: Annotated[Path, typer.Argument(help="with a P4 program, topology.json and the switches' runtime JSON")],
    script: Annotated[str, typer.Option(help="a file of lines for the prompt, instead of yours")] = "",
    solution: Annotated[bool, typer.Option("--solution", help="with the programs of its folder solution")] = False,
) -> None:
    """Bring the network of a p4lang exercise up and open its prompt; the clock stands still while you type."""
    from testbed.prompt import lines_of
    from testbed.tutorial.opening import open_exercise

    status = open_exercise(folder, lines_of(script) if script else None, solution=solution)
    if status:
        raise typer.Exit(status)
