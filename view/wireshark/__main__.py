"""``python -m view.wireshark``: install the dissector for Wireshark and tshark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from common.command_end import end_with
from common.command_line import run_command
from view.wireshark.plugin import install

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(out: Annotated[Path | None, typer.Option(help="folder; left out, that of the user's own plugins")] = None) -> None:
    """Install the dissector."""
    print(f"the dissector is {install(out)}; Wireshark and tshark have it when they are started anew")


def run() -> int:
    """The command line."""
    return run_command(lambda: app(standalone_mode=False), "interrupted")


if __name__ == "__main__":
    end_with(run)
