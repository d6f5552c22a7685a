"""``python -m bench.same_packets WHERE HOST ...``: the embedded switch beside BMv2."""

import sys

from bench.same_packets.command_line import main
from common.command_end import end_with
from common.command_line import run_command

if __name__ == "__main__":
    end_with(lambda: run_command(lambda: main(sys.argv[1:])))
