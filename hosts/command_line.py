"""The program of the testbed's hosts: ``python -m hosts agent``, and its two halves by themselves, ``send`` and ``receive``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common import fine_timers
from common.errors import EXIT_CANNOT_RUN, UserError
from hosts.agent import AgentOptions, run_agent
from hosts.argument_types import address, port, whole
from hosts.plan import NODECTL, Plan, plan_of, read_plan
from hosts.sender import EXIT_INTERRUPTED, send
from protocol.constants import TCP_DATA_PORT


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit code (2: it could not start, with one clear message on stderr)."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "send":
            return fine_timers.run(send(_plan(options), options.bind))
        receiving = AgentOptions(
            options.bind,
            options.port,
            options.max_rate_bps,
            options.multipath,
            options.samples,
            takes_commands=options.command == "agent",
            congestion_control=options.cc,
        )
        return fine_timers.run(run_agent(receiving))
    except UserError as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m hosts", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    for name, text in (
        ("agent", "receive until a signal comes, and carry out the commands on standard input (hosts/commands.py)"),
        ("receive", "the same without commands: take in data and answer rate requests"),
    ):
        receiving = commands.add_parser(name, help=text)
        receiving.add_argument("--bind", type=address, required=True, metavar="IP", help="local address")
        receiving.add_argument("--port", type=port, default=TCP_DATA_PORT, help="TCP port for data (default %(default)s)")
        receiving.add_argument("--max-rate-bps", type=whole, help="grant a transmission at most this (default: the rate it asks for)")
        receiving.add_argument("--samples", type=Path, metavar="FILE.csv", help="bytes received by each connection, every 10 ms")
        receiving.add_argument("--multipath", action="store_true", help="take in MPTCP as well")
        receiving.add_argument("--cc", help="scheme of the connections taken in, if it has a receiver's part (default: the system's)")

    sending = commands.add_parser("send", help="send one transmission, or those of a plan file")
    sending.add_argument("--plan", type=Path, metavar="FILE.json", help="several transmissions; instead of the options below")
    sending.add_argument("--bind", type=address, metavar="IP", help="local address (default: the route's)")
    sending.add_argument("--to", metavar="IP", help="the receiver")
    sending.add_argument("--name", help="name in messages and results")
    sending.add_argument("--port", type=int, help=f"TCP port of the receiver (default {TCP_DATA_PORT})")
    sending.add_argument("--cc", help=f"scheme, e.g. cubic or 'qtcolfair(alpha=1.5)' (default {NODECTL})")
    sending.add_argument("--negotiates", action=argparse.BooleanOptionalAction, help="negotiate the rate (default: as the scheme declares)")
    sending.add_argument("--multipath", action="store_true", default=None, help="over several paths with MPTCP")
    sending.add_argument("--min-rate-bps", type=int, help="refuse less than this (default 0)")
    sending.add_argument("--max-rate-bps", type=int, help="ask for no more than this (default: all there is)")
    sending.add_argument("--bytes", type=int, help="how much to send")
    sending.add_argument("--start-at", type=float, metavar="T", help="CLOCK_MONOTONIC seconds (default: at once)")
    sending.add_argument("--stop-at", type=float, metavar="T", help="CLOCK_MONOTONIC seconds")
    sending.add_argument("--samples", type=Path, metavar="FILE.csv", help="TCP_INFO, every 10 ms")
    sending.add_argument("--summary", type=Path, metavar="FILE.json", help="totals and the negotiation's course")
    return parser


def _plan(options: argparse.Namespace) -> Plan:
    given = {name: value for name, value in vars(options).items() if name not in ("command", "plan", "bind") and value is not None}
    if options.plan is None:
        return plan_of(**given)
    if given:
        raise UserError(f"send: --plan and --{next(iter(given)).replace('_', '-')} do not go together")
    return read_plan(options.plan)
