"""``python -m view.wireshark``: install the dissector for Wireshark and tshark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from common.command_end import end_with
from common.command_line import run_command
from common.errors import UserError
from view.wireshark.plugin import install, is_read

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(out: Annotated[Path | None, typer.Option(help="folder; left out, that of the user's own plugins")] = None) -> None:
    """Install the dissector."""
    print(f"the dissector is {install(out)}; Wireshark and tshark have it when they are started anew")
    if out is None and not is_read():
        raise UserError(
            "this tshark does not read it", "Wireshark 4.4 and newer read no plugins of root's: install it as the user who runs it"
        )


def run() -> int:
    """The command line."""
    return run_command(lambda: app(standalone_mode=False), "interrupted")


if __name__ == "__main__":
    end_with(run)
