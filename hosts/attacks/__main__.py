"""``python3 -m hosts.attacks KIND --from IP --beyond IP --victim IP --receiver IP --seconds S``."""

from __future__ import annotations

import argparse
import socket
import sys
import time

from common.errors import EXIT_CANNOT_RUN, UserError
from hosts.argument_types import address, port, whole

from .kinds import KINDS, Place
from .packets import Packets

STEP_S = 0.002


def main() -> int:
    """Attacks for the given time; returns 0, or 2 with one line on stderr if it cannot."""
    options = _parser().parse_args()
    try:
        packets = Packets()
        ready = None if options.ready_port is None else socket.create_server((options.address, options.ready_port))
    except (UserError, OSError) as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    time.sleep(options.after)
    attack = KINDS[options.kind](Place(packets, options.address, options.beyond, options.victim, options.receiver))
    start_s = time.monotonic()
    while (now_s := time.monotonic() - start_s) < options.seconds:
        attack.step(now_s, list(packets.messages()))
        time.sleep(STEP_S)
    if ready is not None:
        ready.close()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m hosts.attacks", description="Attack a port of the testbed's own network.")
    parser.add_argument("kind", choices=sorted(KINDS), help="kind of attack")
    parser.add_argument("--from", dest="address", type=address, required=True, metavar="IP", help="this host")
    parser.add_argument("--beyond", type=address, required=True, metavar="IP", help="a host behind the port")
    parser.add_argument("--victim", type=address, required=True, metavar="IP", help="the host that sends over the port")
    parser.add_argument("--receiver", type=address, required=True, metavar="IP", help="the host that the victim sends to")
    parser.add_argument("--seconds", type=whole, default=10, metavar="S", help="for so long (default %(default)s)")
    parser.add_argument("--after", type=whole, default=0, metavar="S", help="wait for so long before (default %(default)s)")
    parser.add_argument("--ready-port", type=port, metavar="PORT", help="a TCP port that is open until it ends")
    return parser


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(main)
