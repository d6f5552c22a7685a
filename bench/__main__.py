"""``python -m bench``: measure."""

import typer

from bench.command_line import main
from common.command_end import end_with

if __name__ == "__main__":
    end_with(lambda: typer.run(main))
