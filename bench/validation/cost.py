"""What virtual time costs: seconds of real time for one of virtual time, by rate, connections and switches (docs/timing.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rich.console import Console

from bench.validation import engine
from experiments.run.record import CellRecord

SWITCHES = (1, 3, 16)
CONNECTIONS = (1, 10)
RATES_MBPS = (10, 100, 1000)
SECONDS = {10: 20.0, 100: 10.0, 1000: 4.0}
BRING_UP_SECONDS = 0.5
"""Of a run that is all but bring-up and take-down, to be taken off the others."""

DELAY_MS = 20.0
SCENARIO = """\
schema = 2
title = "A chain of {count} switches"
socket_buffer_mb = 64

[topology]
kind = "graph"
switches = {switches}
attached = {{ a = "s1", b = "s{count}" }}
access = {{ rate_mbps = "= rate_mbps", delay_ms = {access_ms}, queue_bytes = "= rate_mbps * {queue_bytes_per_mbps}" }}
trunk = {{ rate_mbps = "= rate_mbps", delay_ms = {trunk_ms}, queue_bytes = "= rate_mbps * {queue_bytes_per_mbps}" }}
links = {links}

{transmissions}
[run]
schemes = ["cubic"]
duration_s = "= seconds"

{grid}"""


@dataclass(frozen=True)
class Cost:
    """One combination.

    Attributes:
        carried_mbps: payload, mean of the run.
        real_per_virtual: without bring-up and take-down.
        bring_up_s: these two, real.
    """

    switches: int
    connections: int
    rate_mbps: float
    carried_mbps: float
    real_per_virtual: float
    bring_up_s: float


def measure(results: Path, console: Console) -> list[Cost]:
    """Measure all combinations; one after the other if this process is bound to one processor.

    Raises:
        UserError: a run failed.
    """
    found: list[Cost] = []
    for count in SWITCHES:
        for connections in CONNECTIONS:
            file = results / f"chain-{count}-{connections}.toml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(scenario(count, connections))
            found += _costs(count, connections, engine.measure(file, results, console))
    return found


def scenario(count: int, connections: int) -> str:
    """The scenario file of a chain of switches with all connections from one end to the other."""
    names = [f"s{number}" for number in range(1, count + 1)]
    links = "[" + ", ".join(f'["{one}", "{other}"]' for one, other in pairwise(names)) + "]"
    return SCENARIO.format(
        count=count,
        switches=str(names).replace("'", '"'),
        access_ms=2 if count > 1 else DELAY_MS / 2,
        trunk_ms=(DELAY_MS - 4) / max(count - 1, 1),
        queue_bytes_per_mbps=round(2 * DELAY_MS * 1e3 / 8),
        links=links,
        transmissions="".join(f'[[transmissions]]\nname = "t{number}"\nsender = "a"\nreceiver = "b"\n\n' for number in range(connections)),
        grid="\n".join(
            f"[[grid]]\nrate_mbps = [{rate}]\nseconds = [{seconds}]\n"
            for rate, seconds in ((RATES_MBPS[0], BRING_UP_SECONDS), *((rate, SECONDS[rate]) for rate in RATES_MBPS))
        ),
    )


def _costs(count: int, connections: int, records: list[CellRecord]) -> Iterator[Cost]:
    bring_up = next(record for record in records if record.parameters["seconds"] == BRING_UP_SECONDS)
    for record in records:
        seconds = float(record.parameters["seconds"])
        if record is not bring_up:
            took_s = (record.took_s - bring_up.took_s) / (seconds - BRING_UP_SECONDS)
            carried = float(record.values["total_mbps"] or 0.0)
            yield Cost(count, connections, float(record.parameters["rate_mbps"]), carried, took_s, bring_up.took_s)
