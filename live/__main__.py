"""``python -m live`` has another name."""

from __future__ import annotations

from protocol.command_end import end_with
from protocol.command_line import run_command
from protocol.old_names import refuse

if __name__ == "__main__":
    end_with(lambda: run_command(lambda: refuse("live", "testbed live", "testbed replay", "testbed export")))
