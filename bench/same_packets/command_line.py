"""``python -m bench.same_packets WHERE HOST ...``: a scenario or an exercise on the embedded switch and on BMv2."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.same_packets.session import Session, carried_out, lines_of

BMV2 = ("--switch", "bmv2", "--compiler", "embedded")
SHOWN = 4
"""Frames that differ, of each host and switch."""


def main(words: Sequence[str]) -> int:
    """Returns 0 if all hosts have received the same."""
    parser = argparse.ArgumentParser(prog="python -m bench.same_packets", description=__doc__)
    parser.add_argument("where", help="a scenario file, or the folder of an exercise")
    parser.add_argument("hosts", nargs="+")
    parser.add_argument("--rate", action="append", default=[], metavar="FROM:TO", help="measure TCP between these two")
    parser.add_argument("--first", action="append", default=[], metavar="LINE", help="a line for the prompt before all others")
    options = parser.parse_args(words)
    pairs = [(sender, receiver) for sender, _, receiver in (pair.partition(":") for pair in options.rate)]
    command = ["tutorial" if Path(options.where).is_dir() else "cli", str(Path(options.where).resolve())]
    lines = lines_of(options.hosts, pairs, options.first)
    embedded, bmv2 = carried_out(command, lines), carried_out([*command, *BMV2], lines)
    for name, one in (("embedded", embedded), ("BMv2", bmv2)):
        rates = ", ".join(f"{rate:g}" for rate in one.rates_mbps) or "not measured"
        print(f"{name}: {one.sent} sent, {sum(map(len, one.received.values()))} received; pingall: {one.reached}; TCP, Mbit/s: {rates}")
    same = [is_the_same(host, embedded, bmv2) for host in options.hosts]
    return 0 if all(same) else 1


def is_the_same(host: str, embedded: Session, bmv2: Session) -> bool:
    """Whether a host has received the same, with a line that says it."""
    ours, theirs = embedded.received[host], bmv2.received[host]
    alone = [("embedded", Counter(ours) - Counter(theirs)), ("BMv2", Counter(theirs) - Counter(ours))]
    if not any(counted for _, counted in alone):
        print(f"{host}: {len(ours)} frames, the same bytes" + ("" if ours == theirs else ", in another order"))
        return True
    for name, counted in alone:
        print(f"{host}: {counted.total()} from {name} alone")
        for frame in list(counted)[:SHOWN]:
            print(f"    {frame}")
    return False
