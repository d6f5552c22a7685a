"""``python3 -m virtual_time.kernel``: build a kernel."""

import sys

from common.command_end import end_with
from common.command_line import run_command
from virtual_time.kernel.command_line import main

if __name__ == "__main__":
    end_with(lambda: run_command(lambda: main(sys.argv[1:])))
