"""How fast a chain of switches may be in real time before the emulator does not keep its model any more."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from common.errors import UserError
from engine.collect.fidelity import FidelityVerdict
from engine.collect.record import CellRecord

from .chain import scenario
from .validation import engine

SWITCHES = (1, 4, 16)
RATES_MBPS = (20, 50, 100, 200, 400, 800, 1600)
SECONDS = 5.0
ATTEMPTS = 2
"""A virtual machine stands still now and then, whatever runs in it."""


@dataclass(frozen=True)
class Carried:
    """One cubic connection over a chain of links of one rate."""

    switches: int
    rate_mbps: int
    """Of every link."""
    carried_mbps: float | None
    """Payload; nothing where the run does not count."""
    late_share: float
    """Of the packets of the worst link, over 1 ms late; of the last attempt."""
    p99_us: float
    """How late, on the worst link."""


def measure(console: Console, rates_mbps: tuple[int, ...] = RATES_MBPS, switches: tuple[int, ...] = SWITCHES) -> list[Carried]:
    """Every chain at higher and higher rates, up to the first at which the verdict is that the run does not count.

    Raises:
        UserError: a run failed for another reason.
    """
    return [one for count in switches for one in _of_chain(count, rates_mbps, console)]


def _of_chain(count: int, rates_mbps: tuple[int, ...], console: Console) -> Iterator[Carried]:
    for rate in rates_mbps:
        record = _run(count, rate, console)
        verdict = _verdict(record)
        carried = record.values["total_mbps"] if record.is_result else None
        yield Carried(count, rate, carried, verdict.late_share, verdict.p99_us)
        if carried is None:
            return


def _run(count: int, rate_mbps: int, console: Console) -> CellRecord:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "chain.toml")
        file.write_text(scenario(count, 1, rate_mbps, SECONDS, ATTEMPTS))
        (record,) = engine.records(file, Path(folder), console, virtual=False)
    return record


def _verdict(record: CellRecord) -> FidelityVerdict:
    if record.verdict is not None:
        return record.verdict
    if record.rejected:
        return record.rejected[-1]
    raise UserError(f"{record}: {record.failure}")
