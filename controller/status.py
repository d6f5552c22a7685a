"""Shows a running controller's ports and records: ``python -m controller.status --socket PATH ports|records|switches``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from common.command_end import end_with
from common.errors import EXIT_CANNOT_RUN, UserError
from common.units import BITS_PER_MEGABIT
from controller.status_client import ask

SHARES_SHOWN = 12
"""A port's further shares are only counted; `records` lists them all."""


def ports_table(ports: Iterable[dict[str, Any]]) -> Table:
    """One line a port: its capacity, its allocated and free rates, its number of records, and their shares."""
    table = _table("Ports (Mbit/s)", ["switch", "port", "to"], ["capacity", "allocated", "free", "records"], ["shares"])
    for port in ports:
        shares = [f"{share['name']} {_mbps(share['rate_bps'])}" for share in port["shares"]]
        more = f" and {len(shares) - SHARES_SHOWN} more" if len(shares) > SHARES_SHOWN else ""
        table.add_row(
            port["switch"],
            str(port["port"]),
            port["peer"],
            _mbps(port["capacity_bps"]),
            _mbps(port["allocated_bps"]),
            _mbps(port["free_bps"]),
            str(port["records"]),
            ", ".join(shares[:SHARES_SHOWN]) + more,
        )
    return table


def records_table(records: Iterable[dict[str, Any]]) -> Table:
    """One line a record."""
    table = _table("Records (Mbit/s)", ["switch", "port", "name", "sender", "receiver"], ["rate", "offered"], ["limited here", "heard"])
    for record in records:
        table.add_row(
            record["switch"],
            str(record["port"]),
            record["name"],
            record["sender"],
            record["receiver"],
            _mbps(record["rate_bps"]),
            _mbps(record["offer_bps"]) if record["offer_bps"] else "",
            "negotiating" if record["is_negotiating"] else "yes" if record["is_bottleneck"] else "no",
            f"{record['heard_s_ago']:.1f} s ago",
        )
    return table


def switches_table(switches: Iterable[dict[str, Any]]) -> Table:
    """One line a switch: its connection, and how long adjustments took."""
    table = _table("Switches", ["switch", "P4Runtime"], ["adjustments", "mean ms", "median ms", "p99 ms", "max ms"], ["state"])
    for switch in switches:
        latency = switch["adjustment_latency"]
        state = "not connected"
        if switch["is_connected"]:
            state = "in step" if switch["is_synchronised"] else "comparing records"
        table.add_row(
            switch["switch"],
            switch["grpc_addr"],
            str(latency["count"]),
            f"{latency['mean_ms']:.2f}",
            f"{latency['p50_ms']:.2f}",
            f"{latency['p99_ms']:.2f}",
            f"{latency['max_ms']:.2f}",
            state,
        )
    return table


TABLES = {"ports": ports_table, "records": records_table, "switches": switches_table}


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit code (2: no controller answers, with one clear line on stderr)."""
    parser = argparse.ArgumentParser(prog="python -m controller.status", description=__doc__)
    parser.add_argument("--socket", type=Path, required=True, metavar="PATH", help="the controller's --status-socket")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")
    parser.add_argument("what", choices=sorted(TABLES))
    options = parser.parse_args(arguments)
    try:
        answer = ask(options.socket, options.what)
    except UserError as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    if options.json:
        print(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        Console().print(TABLES[options.what](answer[options.what]))
    return 0


def _table(title: str, left: list[str], right: list[str], last: list[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for name in left:
        table.add_column(name)
    for name in right:
        table.add_column(name, justify="right")
    for name in last:
        table.add_column(name)
    return table


def _mbps(rate_bps: int) -> str:
    return f"{rate_bps / BITS_PER_MEGABIT:.3g}" if 0 < rate_bps < BITS_PER_MEGABIT else f"{rate_bps / BITS_PER_MEGABIT:.1f}"


if __name__ == "__main__":
    end_with(main)
