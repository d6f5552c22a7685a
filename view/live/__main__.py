"""``python -m view.live`` has another name."""

from __future__ import annotations

from common.command_end import end_with
from common.command_line import run_command
from common.old_names import refuse

if __name__ == "__main__":
    end_with(lambda: run_command(lambda: refuse("live", "testbed live", "testbed replay", "testbed export")))
