"""``tutorial``: an exercise in p4lang's layout, as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scenario.run_request import EMBEDDED, RunRequest


def add_to(app: typer.Typer) -> None:
    """Make it a command of ``app``."""
    app.command()(tutorial)


def tutorial(
    folder: Annotated[Path, typer.Argument(help="with a P4 program and topology.json (p4lang) or p4app.json (p4-utils), or such a file")],
    script: Annotated[str, typer.Option(help="a file of lines for the prompt, instead of yours")] = "",
    solution: Annotated[bool, typer.Option("--solution", help="with the programs of its folder solution")] = False,
    live: Annotated[bool, typer.Option("--live", help="serve a page beside the prompt, and print its address")] = False,
    listen: Annotated[str, typer.Option(help="with --live: ADDRESS, :PORT or ADDRESS:PORT instead of 127.0.0.1:8765")] = "",
    switch: Annotated[str, typer.Option(help="embedded, or bmv2 where simple_switch_grpc is installed")] = EMBEDDED,
    compiler: Annotated[str, typer.Option(help="embedded or p4c; left out, the one that goes with the switch")] = "",
) -> None:
    """Bring the network of an exercise of p4lang or p4-utils up and open its prompt; the clock stands still while you type."""
    from testbed.prompt import lines_of
    from testbed.tutorial.opening import open_exercise

    request = RunRequest(live=live, listen=listen, switch=switch, compiler=compiler)
    status = open_exercise(folder, lines_of(script) if script else None, solution=solution, request=request)
    if status:
        raise typer.Exit(status)
