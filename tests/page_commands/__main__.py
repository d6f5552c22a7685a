"""``python -m tests.page_commands``: every command of the pages."""

from common.command_end import end_with
from common.command_line import run_command
from tests.page_commands.command_line import main

if __name__ == "__main__":
    end_with(lambda: run_command(main))
