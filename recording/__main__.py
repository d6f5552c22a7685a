"""``python -m recording FOLDER``: draw the pictures of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol.command_end import end_with
from protocol.command_line import let_signals_interrupt, run_command

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def pictures(
    folder: Annotated[Path, typer.Argument(help="of a run's results, such as results/latest")],
    out: Annotated[Path | None, typer.Option(help="folder for the pictures; left out, pictures in the run's")] = None,
) -> None:
    """Draw the pictures of a run: throughput, queues, drops, shares, RTT, windows; light and dark; SVG, PNG and their data."""
    from recording.pictures_of_run import draw_pictures

    for file in draw_pictures(folder, out):
        print(file)


def main() -> int:
    """Run the command line."""
    let_signals_interrupt()
    return run_command(lambda: app(standalone_mode=False))


if __name__ == "__main__":
    end_with(main)
