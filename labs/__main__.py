"""``python -m labs`` has another name."""

from __future__ import annotations

from common.command_end import end_with
from common.command_line import run_command
from common.old_names import refuse

if __name__ == "__main__":
    end_with(lambda: run_command(lambda: refuse("labs", "testbed labs", "testbed lab", "testbed handout", "testbed grade")))
