"""The cost of virtual time: processor seconds for one of virtual time, by rate, connections and switches (docs/cost.md)."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from bench.chain import scenario
from bench.validation import engine
from engine.collect.record import CellRecord

SWITCHES = (1, 3, 16)
CONNECTIONS = (1, 10)
RATES_MBPS = (10, 100, 1000)
SECONDS = (10.0, 5.0, 2.0)
"""At each of the rates."""

BRING_UP_SECONDS = 0.5
"""Of a run that is all but bring-up and take-down, to be taken off the others."""


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

    Processor time is measured, not the time on a wall clock, so that other work of the machine hardly matters.

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
