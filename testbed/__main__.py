"""``python -m testbed``: all commands of the testbed; ``--help`` lists them."""

from __future__ import annotations

from common.command_end import end_with
from testbed.command_line.app import main

if __name__ == "__main__":
    end_with(main)
