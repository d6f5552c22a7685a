"""``python -m virtual_time COMMAND …``: run any command of the checkout in virtual time, as an ordinary user."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from common.command_end import end_with
from common.command_line import let_signals_interrupt, run_command
from virtual_time.boot import LIMIT_S, PATIENCE_S
from virtual_time.job import Job, Outside

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def main(
    command: Annotated[list[str], typer.Argument(help="program and arguments")],
    seed: Annotated[int, typer.Option(help="all random numbers inside follow from it")] = 1,
    memory_mb: Annotated[int, typer.Option(help="of the machine inside")] = 2048,
    out: Annotated[Path | None, typer.Option(help="folder for the files that the command leaves in /out")] = None,
    patience_s: Annotated[float, typer.Option(help="real seconds without a sign of life before it is ended")] = PATIENCE_S,
    limit_s: Annotated[float, typer.Option(help="virtual seconds until it must have ended")] = LIMIT_S,
    tests: Annotated[bool, typer.Option(help="with the tests and their packages")] = False,
) -> None:
    """Run a command in virtual time; its exit code is this one's."""
    from virtual_time.session import Session

    session = Session.prepare(with_tests=tests)
    status = session.run(
        Job(command, seed, memory_mb, patience_s, limit_s),
        Outside(out, on_text=lambda line: print(line, flush=True)),
    )
    raise typer.Exit(status)


def run() -> int:
    """The command line."""
    let_signals_interrupt()
    return run_command(lambda: app(standalone_mode=False), "interrupted; nothing is left running")


if __name__ == "__main__":
    end_with(run)
