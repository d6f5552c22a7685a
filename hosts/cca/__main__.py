"""``python -m hosts.cca``: the congestion controls."""

from common.command_end import end_with
from hosts.cca.command_line import main

if __name__ == "__main__":
    end_with(main)
