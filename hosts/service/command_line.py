"""Negotiated rates for any program: ``nodectl run COMMAND``, or ``nodectl serve`` for a whole host (docs/host-service.md)."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from common import fine_timers
from common.errors import EXIT_CANNOT_RUN, UserError
from common.units import BITS_PER_MEGABIT
from hosts.argument_types import address, positive_rate, rate, seconds
from hosts.cca.scheme_names import parse_scheme
from hosts.events import emit
from hosts.plan import NODECTL
from hosts.service.asking import JOIN, STATUS, ask, join_and_execute
from hosts.service.options import ALONE, IDLE_S, FirstRtt, ServiceOptions
from hosts.service.running import log_to, run_command, serve
from protocol.variant import VariantName

EXIT_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit code (2: it could not start, with one clear message on stderr)."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "status":
            return _status()
        if options.command == "run":
            return _run(options)
        log = emit if options.log is None else log_to(options.log)
        return fine_timers.run(serve(_service_options(options), log, whole_host=not options.joined_only))
    except UserError as error:
        print(f"nodectl: {error}", file=sys.stderr)
        return EXIT_CANNOT_RUN
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _run(options: argparse.Namespace) -> int:
    if not options.words:
        raise UserError("run: no command is given", "for example: nodectl run iperf3 -c 10.0.0.4")
    if ask(JOIN) is not None:
        join_and_execute(options.words)
    return fine_timers.run(run_command(options.words, _service_options(options), log_to(options.log)))


def _status() -> int:
    answer = ask(STATUS)
    if answer is None:
        raise UserError("this host has no service", "`nodectl serve` starts it")
    print(json.dumps(answer, indent=1))
    return 0


def _service_options(options: argparse.Namespace) -> ServiceOptions:
    least, most = options.min_rate_mbps, options.max_rate_mbps
    if most is not None and least > most:
        raise UserError(f"--min-rate-mbps {least:g} is above --max-rate-mbps {most:g}")
    return ServiceOptions(
        addresses=tuple(options.address),
        first_rtt=options.first_rtt or FirstRtt(str(parse_scheme(options.scheme).constants.get("first_rtt", FirstRtt.INITIAL_WINDOW))),
        variant=options.variant,
        min_rate_bps=_bps(least) or 0,
        max_rate_bps=_bps(most),
        grants_bps=_bps(options.grants_mbps),
        scheme=options.scheme,
        alone=options.alone,
        idle_s=options.idle_s,
        refreshes=options.refreshes,
    )


def _bps(rate_mbps: float | None) -> int | None:
    return None if rate_mbps is None else round(rate_mbps * BITS_PER_MEGABIT)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nodectl", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="run a command; if the host has no service, with one of its own (which needs root)")
    serving = commands.add_parser("serve", help="serve all connections of this host that are made from now on, until a signal comes")
    commands.add_parser("status", help="show the state of the host's service, as JSON")
    for one in (running, serving):
        one.add_argument(
            "--first-rtt", type=FirstRtt, choices=list(FirstRtt),
            help=f"how a connection sends before it has a rate (default: as the scheme says, else {FirstRtt.INITIAL_WINDOW})",
        )  # fmt: skip
        one.add_argument(
            "--variant", type=VariantName, choices=list(VariantName), default=VariantName.PAPER,
            help="which Nodectl the network has (default %(default)s)",
        )  # fmt: skip
        one.add_argument("--min-rate-mbps", type=rate, default=0.0, metavar="N", help="each connection waits rather than take less (0)")
        one.add_argument("--max-rate-mbps", type=positive_rate, metavar="N", help="each connection asks for no more (all there is)")
        one.add_argument("--grants-mbps", type=rate, metavar="N", help="grant a transmission to this host at most this (what it asks for)")
        one.add_argument("--scheme", default=NODECTL, help="congestion control that keeps to the rates (default %(default)s)")
        one.add_argument("--alone", default=ALONE, metavar="SCHEME", help="congestion control if no answer comes (default %(default)s)")
        one.add_argument("--idle-s", type=seconds, default=IDLE_S, metavar="S", help="silence that gives a rate back (default %(default)s)")
        one.add_argument("--refreshes", action=argparse.BooleanOptionalAction, default=True, help="keep the records in the switches alive")
        one.add_argument("--address", type=address, action="append", default=[], metavar="IP", help="local address (default: all)")
        one.add_argument("--log", type=Path, metavar="FILE.jsonl", help="file for events of connections (serve: default standard output)")
    running.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND", help="the command and its arguments")
    serving.add_argument("--joined-only", action="store_true", help="only programs that were started by `nodectl run`")
    return parser
