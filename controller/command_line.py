"""``python -m controller``: the Nodectl controller's command line."""

from __future__ import annotations

import argparse
import contextlib
import logging
import math
import os
import sys
from pathlib import Path

from common import fine_timers
from common.errors import EXIT_CANNOT_RUN, UserError
from common.units import MS_PER_S, US_PER_S
from controller.app import Options, run
from controller.computing_cost import ComputingCost
from controller.logs import set_up_logging
from protocol.variant import CONTROLLER, Variant, VariantName

EXIT_STOPPED = 0
NICENESS = -10
"""Hosts share the processor, and a reduce has to be out long before a round trip has passed. Needs root, or goes without."""
EXIT_BUG = 70
"""sysexits.h: EX_SOFTWARE."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit code (2: it cannot work, with one clear line on stderr)."""
    options = _parser().parse_args(arguments)
    set_up_logging(verbose=options.verbose)
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    cost = ComputingCost(options.event_ms / MS_PER_S, options.record_us / US_PER_S, options.channel_ms / MS_PER_S)
    try:
        fine_timers.run(
            run(
                Options(
                    network=options.network,
                    p4info=options.p4info,
                    pipeline=options.pipeline,
                    variant=Variant.named(VariantName(options.variant), options.without),
                    status_socket=options.status_socket,
                    connect_timeout_s=options.connect_timeout,
                    election_id=options.election_id,
                    cost=cost,
                    only_configures=options.only_configure,
                )
            )
        )
    except UserError as error:
        print(f"controller: {error}", file=sys.stderr)
        return EXIT_CANNOT_RUN
    except KeyboardInterrupt:
        pass
    except Exception as error:  # a bug: say so in one line, and where it is if somebody wants to know
        logging.getLogger("controller").debug("internal error", exc_info=True)
        print(f"controller: internal error: {error!r}; this is a bug, --verbose shows where", file=sys.stderr)
        return EXIT_BUG
    return EXIT_STOPPED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m controller", description="Controls the P4 switches of a Nodectl network.")
    parser.add_argument("--network", type=Path, required=True, metavar="NET.json", help="the network description")
    parser.add_argument("--p4info", type=Path, required=True, metavar="FILE", help="the program's P4Info (text)")
    parser.add_argument("--pipeline", type=Path, required=True, metavar="FILE", help="the compiled program (BMv2 JSON)")
    parser.add_argument(
        "--without",
        action="append",
        choices=sorted(CONTROLLER),
        default=[],
        help="leave out a decision (docs/decisions/index.md), to measure its effect; may be given more than once. "
        "Without D3, freed capacity is handed out at the next request only, as in the paper",
    )
    parser.add_argument(
        "--variant",
        choices=[str(name) for name in VariantName],
        default=str(VariantName.PAPER),
        help="the variant of the compiled pipeline (docs/protocol.md; default %(default)s)",
    )
    parser.add_argument("--status-socket", type=Path, metavar="PATH", help="answer questions on this Unix socket")
    parser.add_argument(
        "--connect-timeout", type=_positive, default=10.0, metavar="S", help="seconds to wait for the switches (default %(default)g)"
    )
    parser.add_argument("--election-id", type=_election_id, default=1, metavar="N", help="P4Runtime election id (default %(default)s)")
    for name, unit, of in (
        ("--event-ms", "MS", "for each packet-in and each command"),
        ("--record-us", "US", "for each entry that it sends"),
        ("--channel-ms", "MS", "for the way to a switch, and as much for the way back"),
    ):
        parser.add_argument(
            name, type=_not_negative, default=0.0, metavar=unit, help=f"take so much longer {of} (docs/timing.md; default %(default)g)"
        )
    parser.add_argument("--only-configure", action="store_true", help="end as soon as all switches have their pipelines and entries")
    parser.add_argument("--verbose", action="store_true", help="log more")
    return parser


def _positive(text: str) -> float:
    value = _number(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def _not_negative(text: str) -> float:
    value = _number(text)
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 upwards")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _election_id(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**128:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 2^128 - 1")
    return int(text)
