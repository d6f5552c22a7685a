"""``run`` and ``cli``: a scenario with all its schemes, and its network with the Mininet prompt."""

from __future__ import annotations

import typer

from common.terminal import terminal
from scenario.run_request import CLI, RUN, RunRequest
from testbed.command_line.from_request import taking_a_request
from topo.toolchain import choose

EXIT_NO_RESULT = 1


def add_to(app: typer.Typer) -> None:
    """Make them commands of ``app``."""
    app.command(RUN)(run)
    app.command(CLI)(cli)


@taking_a_request(RUN)
def run(request: RunRequest) -> None:
    """Run every scheme of a scenario, print the table, save picture and samples."""
    _ = choose(request.switch, request.compiler), request.size, request.page, request.hosts_kernels
    from reports.scenario_run import point_latest_to
    from testbed.prepared_run import carry_out, prepare  # libraries take a second to load, and mistakes are to be told at once

    ran = carry_out(prepare(request, console=terminal()))
    point_latest_to(ran.folder)
    if not ran.is_complete:
        raise typer.Exit(EXIT_NO_RESULT)


@taking_a_request(CLI)
def cli(request: RunRequest) -> None:
    """Bring a scenario's network up and open the Mininet prompt; in virtual time, the clock stands still while you type."""
    _ = choose(request.switch, request.compiler), request.page
    from testbed.prompt import lines_of, open_prompt

    status = open_prompt(request, lines_of(request.script) if request.script else None)
    if status:
        raise typer.Exit(status)
