"""``python -m labs`` has another name."""

from __future__ import annotations

from typing import NoReturn

from common.command_end import end_with
from common.command_line import run_command
from common.errors import UserError


def refuse() -> NoReturn:
    """Raises UserError, which names the new commands."""
    raise UserError("python -m labs has another name", "it is python -m testbed labs, lab, handout or grade")


if __name__ == "__main__":
    end_with(lambda: run_command(refuse))
