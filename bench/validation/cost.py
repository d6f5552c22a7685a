"""What virtual time costs: processor seconds for one of virtual time, by rate, connections and switches (docs/timing.md)."""

from __future__ import annotations

import os
import resource
import shutil
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
SECONDS = (10.0, 5.0, 2.0)
"""At each of the rates."""

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
access = {{ rate_mbps = {rate_mbps}, delay_ms = {access_ms}, queue_bytes = {queue_bytes} }}
trunk = {{ rate_mbps = {rate_mbps}, delay_ms = {trunk_ms}, queue_bytes = {queue_bytes} }}
links = {links}

{transmissions}
[run]
schemes = ["cubic"]
duration_s = {seconds}
"""


@dataclass(frozen=True)
class Cost:
    """One combination.

    Attributes:
        carried_mbps: payload, mean of the run.
        processor_per_virtual: processor seconds for one of virtual time, without bring-up and take-down.
        bring_up_s: these two, processor seconds.
    """

    switches: int
    connections: int
    rate_mbps: float
    carried_mbps: float
    processor_per_virtual: float
    bring_up_s: float


def measure(results: Path, console: Console) -> list[Cost]:
    """Measure all combinations one after the other, on one processor.

    Processor time is measured, not the time that a clock on the wall takes, so that what else the machine does hardly matters.

    Raises:
        UserError: a run failed.
    """
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(processors)})
    try:
        return [one for count in SWITCHES for connections in CONNECTIONS for one in _of_chain(count, connections, results, console)]
    finally:
        os.sched_setaffinity(0, processors)


def _of_chain(count: int, connections: int, results: Path, console: Console) -> Iterator[Cost]:
    _, bring_up_s = _run(count, connections, RATES_MBPS[0], BRING_UP_SECONDS, results, console)
    for rate, seconds in zip(RATES_MBPS, SECONDS, strict=True):
        record, took_s = _run(count, connections, rate, seconds, results, console)
        per_s = (took_s - bring_up_s) / (seconds - BRING_UP_SECONDS)
        yield Cost(count, connections, rate, float(record.values["total_mbps"] or 0.0), per_s, bring_up_s)


def _run(count: int, connections: int, rate: int, seconds: float, results: Path, console: Console) -> tuple[CellRecord, float]:
    """One run: its record, and the processor seconds that it took."""
    folder = results / f"{count}-{connections}-{rate}-{seconds:g}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    file = folder / "chain.toml"
    file.write_text(scenario(count, connections, rate, seconds))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    (record,) = engine.measure(file, folder, console)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return record, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def scenario(count: int, connections: int, rate_mbps: int, seconds: float) -> str:
    """The scenario file of a chain of switches with all connections from one end to the other."""
    names = [f"s{number}" for number in range(1, count + 1)]
    links = "[" + ", ".join(f'["{one}", "{other}"]' for one, other in pairwise(names)) + "]"
    return SCENARIO.format(
        count=count,
        switches=str(names).replace("'", '"'),
        access_ms=2 if count > 1 else DELAY_MS / 2,
        trunk_ms=(DELAY_MS - 4) / max(count - 1, 1),
        links=links,
        transmissions="".join(f'[[transmissions]]\nname = "t{number}"\nsender = "a"\nreceiver = "b"\n\n' for number in range(connections)),
        rate_mbps=rate_mbps,
        queue_bytes=round(rate_mbps * 2 * DELAY_MS * 1e3 / 8),
        seconds=seconds,
    )
