"""``python -m controller``: the Nodectl controller."""

from common.command_end import end_with
from controller.command_line import main

if __name__ == "__main__":
    end_with(main)
