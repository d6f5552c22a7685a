"""Made-up reports of switches on the state of an own program."""

from __future__ import annotations

import json
from typing import Any

from tests.view.recording.synthetic_run import BEGIN_S, SyntheticRun
from topo.switch_files import STATE_FILE

TABLE, REGISTER, COUNTER = "MyIngress.ipv4_lpm", "MyIngress.seen", "MyIngress.sent"
LARGE = "MyIngress.flows"
SHOWN = 25
"""Entries of a large table that are told."""

PROGRAM = {
    "tables": [
        {"name": TABLE, "keys": [{"name": "hdr.ipv4.dstAddr", "kind": "lpm", "bits": 32}], "size": 1024, "priorities": False},
        {
            "name": LARGE,
            "keys": [
                {"name": "hdr.ipv4.srcAddr", "kind": "ternary", "bits": 32},
                {"name": "hdr.tcp.dstPort", "kind": "range", "bits": 16},
            ],
            "size": 100_000,
            "priorities": True,
        },
    ],
    "registers": [{"name": REGISTER, "cells": 1_000_000, "looked_at": 65_536, "bits": 32}],
    "counters": [{"name": COUNTER, "cells": 16, "looked_at": 16}],
}


def lpm(hits: tuple[int, int], *, misses: int, described: bool = False) -> dict[str, Any]:
    """The table with two entries."""
    entries = [
        {"id": number, "key": [f"10.0.{number}.0/24"], "action": f"MyIngress.forward(port={number})"} for number in (1, 2)
    ]  # fmt: skip
    more = {"default": "MyIngress.drop()", "described": entries} if described else {}
    shown = sorted(([number, count] for number, count in enumerate(hits, start=1)), key=lambda one: -one[1])
    return {"name": TABLE, "entries": 2, "hits": sum(hits), "misses": misses, "shown": shown, **more}


def flows(busiest: int) -> dict[str, Any]:
    """The large table, of which one entry has most hits."""
    ids = [busiest, *(number for number in range(1, SHOWN + 1) if number != busiest)][:SHOWN]
    entries = [
        {"id": number, "key": [f"10.1.{number}.0 &&& 0xffffff00", "80 .. 90"], "priority": 7, "action": "MyIngress.count()"}
        for number in ids
    ]
    shown = [[number, 500 - place] for place, number in enumerate(ids)]
    return {
        "name": LARGE, "entries": 40_000, "hits": 90_000, "misses": 0, "shown": shown, "default": "NoAction()", "described": entries,
    }  # fmt: skip


def tell(run: SyntheticRun, time_s: float, switch: str = "s1", **told: Any) -> None:
    """A line, seconds after the start of the run's first cell."""
    line = {"time_ns": round((BEGIN_S + time_s) * 1e9), "switch": switch, **told}
    with (run.logs(run.cells[0]) / STATE_FILE).open("a") as stream:
        stream.write(json.dumps(line) + "\n")


def add_state(run: SyntheticRun) -> None:
    """Two switches: before the run, and each half second of it s1 finds its first entry for 50 packets and its second for 5."""
    tell(run, -2, program=PROGRAM, tables=[lpm((0, 0), misses=1, described=True), flows(30)])
    tell(run, -1, tables=[lpm((3, 0), misses=1)], counters=[{"name": COUNTER, "in_use": 1, "shown": [[2, 3, 300]]}])
    tell(run, -1, "s2", program={**PROGRAM, "registers": [], "counters": []})
    for step in range(1, round(run.network.duration_s * 2)):
        tell(
            run, step / 2, tables=[lpm((3 + 50 * step, 5 * step), misses=1)],
            registers=[{"name": REGISTER, "in_use": 40, "shown": [[index, f"{index * step}"] for index in range(1, 33)]}],
        )  # fmt: skip
