"""``live``, ``replay``, ``export`` and ``pictures``: a run in a browser, in one file, in pictures. ``docs``: these pages in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from common.errors import UserError
from common.installation import RESULTS

LATEST = RESULTS / "latest"
FolderArgument = Annotated[Path, typer.Argument(help="folder of a run's results, such as results/latest, or of a lab's runs")]
ListenOption = Annotated[str, typer.Option(help="ADDRESS, :PORT or ADDRESS:PORT instead of 127.0.0.1:8765")]


def add_to(app: typer.Typer) -> None:
    """Make them commands of ``app``."""
    for command in (live, replay, export, pictures, docs):
        app.command()(command)


def live(folder: FolderArgument, listen: ListenOption = "") -> None:
    """Serve the page of a running or starting run, until it is stopped."""
    _serve(folder, listen, "live page: {}", waits=True)


def replay(folder: FolderArgument = LATEST, listen: ListenOption = "") -> None:
    """Serve the page of a finished run, until Ctrl-C."""
    _serve(_newest(folder), listen, "{}  (Ctrl-C ends it)", waits=False)


def export(
    folder: FolderArgument = LATEST,
    out: Annotated[Path | None, typer.Option(help="the file; left out, run.html in the folder")] = None,
) -> None:
    """Write a run as one HTML file, which needs no network."""
    from view.live.export import export as write

    file = write(_newest(folder), out)
    print(f"{file}: {file.stat().st_size / 1e6:.1f} MB")


def pictures(
    folder: FolderArgument = LATEST,
    out: Annotated[Path | None, typer.Option(help="folder for the pictures; left out, pictures in the run's")] = None,
) -> None:
    """Draw the pictures of a run: throughput, queues, drops, shares, RTT, windows; light and dark; SVG, PNG and their data."""
    from view.recording.pictures_of_run import draw_pictures

    for file in draw_pictures(folder, out):
        print(file)


def docs(
    port: Annotated[int, typer.Option(help="port at 127.0.0.1; left out, 8000 or a free one", min=0, max=65535)] = 0,
) -> None:
    """Serve the documentation as a site with search, until Ctrl-C."""
    from testbed.site_server import SiteServer

    with SiteServer(port=port) as server:
        print(f"{server.url}  (Ctrl-C ends it)", flush=True)
        server.serve_forever()


def _newest(folder: Path) -> Path:
    from view.recording.run_recording import newest_run

    return newest_run(folder)


def _serve(folder: Path, listen: str, words: str, *, waits: bool) -> None:
    from view.live.address import Address

    address = Address.parse(listen)
    try:
        from view.live.server import LiveServer
    except ModuleNotFoundError as error:
        raise UserError(f"the live page needs {error.name}, which is not installed", "make live installs it") from None
    LiveServer(folder, address, waits=waits).run(lambda url: print(words.format(url), flush=True))
