"""``python -m live``: show a run in a browser, while it goes on or afterwards, or put it into one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol.command_end import end_with
from protocol.command_line import let_signals_interrupt, run_command
from protocol.errors import UserError

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)

FolderArgument = Annotated[Path, typer.Argument(help="folder of a run's results, such as results/latest, or of a lab's runs")]
ListenOption = Annotated[str, typer.Option(help="ADDRESS, :PORT or ADDRESS:PORT instead of 127.0.0.1:8765")]


@app.command()
def serve(folder: FolderArgument, listen: ListenOption = "") -> None:
    """Serve the page of a run that begins or goes on, until it is told to stop."""
    _serve(folder, listen, "live page: {}", waits=True)


@app.command()
def replay(folder: FolderArgument, listen: ListenOption = "") -> None:
    """Serve the page of a run that is over, until Ctrl-C."""
    _serve(_newest(folder), listen, "{}  (Ctrl-C ends it)", waits=False)


@app.command()
def export(
    folder: FolderArgument, out: Annotated[Path | None, typer.Option(help="the file; left out, run.html in the folder")] = None
) -> None:
    """Write a run as one HTML file, which needs no network."""
    from live.export import export as write

    file = write(_newest(folder), out)
    print(f"{file}: {file.stat().st_size / 1e6:.1f} MB")


def _newest(folder: Path) -> Path:
    from recording.run_recording import newest_run

    return newest_run(folder)


def _serve(folder: Path, listen: str, words: str, *, waits: bool) -> None:
    from live.address import Address

    address = Address.parse(listen)
    try:
        from live.server import LiveServer
    except ModuleNotFoundError as error:
        raise UserError(f"the live page needs {error.name}, which is not installed", "make live installs it") from None
    LiveServer(folder, address, waits=waits).run(lambda url: print(words.format(url), flush=True))


def main() -> int:
    """Run the command line."""
    let_signals_interrupt()
    return run_command(lambda: app(standalone_mode=False), "")


if __name__ == "__main__":
    end_with(main)
