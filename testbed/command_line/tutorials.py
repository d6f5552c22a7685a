"""``tutorial``: an exercise in p4lang's layout, as it is."""

from __future__ import annotations

import typer

from scenario.run_request import TUTORIAL, RunRequest
from testbed.command_line.from_request import taking_a_request


def add_to(app: typer.Typer) -> None:
    """Make it a command of ``app``."""
    app.command(TUTORIAL)(tutorial)


@taking_a_request(TUTORIAL)
def tutorial(request: RunRequest) -> None:
    """Bring the network of an exercise of p4lang or p4-utils up and open its prompt; the clock stands still while you type."""
    from testbed.prompt import lines_of
    from testbed.tutorial.opening import open_exercise

    status = open_exercise(request, lines_of(request.script) if request.script else None)
    if status:
        raise typer.Exit(status)
