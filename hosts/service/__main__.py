"""``nodectl``, or ``python -m hosts.service``: negotiated rates for any program."""

from common.command_end import end_with
from hosts.service.quick_start import main

if __name__ == "__main__":
    end_with(main)
