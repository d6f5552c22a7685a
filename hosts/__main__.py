"""``python -m hosts``: the program of the testbed's hosts."""

from common.command_end import end_with
from hosts.command_line import main

if __name__ == "__main__":
    end_with(main)
