"""``python -m bench.scale``: the cost of one more transmission where thousands have records already (docs/scale.md).

Beside the embedded switch, in real time: the records fill one port; then newcomers ask, one after the other, and each makes all others slow
down. The benchmark measures three things for each request:

* the controller's time from the packet-in to the last packet-out handed to gRPC, by its own clock
* the time from the request until the last reduce has come to a host, with the switch's own work on each entry
* the processor time of both processes

The senders acknowledge their reduces once all have come, which is measured apart. Needs root (two pairs of veth interfaces).
"""

from __future__ import annotations

import json
import signal
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bench.scale_bed import LARGE_STORE_WAY_BITS, RECORD_KBPS, SMALL_STORE, bed, difference, request
from bench.scale_level import LevelScale, measure_level
from bench.tools import PROJECT
from common.command_end import end_with
from common.errors import EXIT_CANNOT_RUN, UserError
from common.units import BITS_PER_KILOBIT
from controller.latency import LatencyLog, LatencySummary
from protocol.constants import MAX_BATCH_ENTRIES, WAY_BITS
from protocol.variant import Variant
from protocol.wire import MAX_RATE_KBPS, MessageType


@dataclass(frozen=True)
class Scale:
    """Of one number of records: medians over newcomers unless the name says otherwise. Times in ms, processor time too."""

    records: int
    rounds: int
    controller_ms: float
    controller_p99_ms: float
    last_reduce_ms: float
    last_reduce_p99_ms: float
    messages: int
    batches: int
    controller_cpu_ms: float
    switch_cpu_ms: float
    acknowledging_controller_cpu_ms: float
    acknowledging_switch_cpu_ms: float


def measure(records: int, rounds: int, grpc_port: int) -> Scale:
    """So many records, and newcomers one after the other.

    Raises:
        UserError: something does not start, or does not come to its end.
    """
    variant = Variant(way_bits=WAY_BITS if records <= SMALL_STORE else LARGE_STORE_WAY_BITS)
    last_reduce = LatencyLog()
    computed: list[tuple[float, float]] = []
    acknowledged: list[tuple[float, float]] = []
    with bed(grpc_port, records * RECORD_KBPS * BITS_PER_KILOBIT, variant) as made:
        made.fill(records)
        for number in range(records + 1, records + rounds + 1):
            made.hosts.forget()
            before = made.cpu_s()
            asked_s = time.monotonic()
            made.hosts.send(number, request(number, MAX_RATE_KBPS))
            made.wait("the reduces", lambda others=number - 1: made.hosts.count(MessageType.REDUCE) >= others)  # type: ignore[misc]
            last_reduce.add(made.hosts.latest_s - asked_s)
            between = made.cpu_s()
            made.acknowledge()
            computed.append(difference(before, between))
            acknowledged.append(difference(between, made.cpu_s()))
        latency = LatencySummary(**made.told()["adjustment_latency"])
    seen = last_reduce.summary()
    if latency.count != rounds:
        raise UserError(f"{latency.count} adjustments were measured, and there were {rounds} newcomers")
    messages = records + rounds // 2
    (controller, switch), (later_controller, later_switch) = (
        [1000 * statistics.median(column) for column in zip(*rows, strict=True)] for rows in (computed, acknowledged)
    )
    return Scale(
        records, rounds, latency.p50_ms, latency.p99_ms, seen.p50_ms, seen.p99_ms, messages, -(-(messages + 1) // MAX_BATCH_ENTRIES),
        controller, switch, later_controller, later_switch,
    )  # fmt: skip


LISTS = "lists"
LEVEL = "level"
HEADINGS = {
    LISTS: (
        "records", "newcomers", "controller", "its p99", "last reduce", "its p99", "messages", "batches", "controller's processor",
        "switch's", "and for the refreshes", "switch's",
    ),
    LEVEL: (
        "records", "newcomers", "level published", "its p99", "newcomer has it", "messages", "packet-ins", "controller's processor",
        "switch's", "and while all follow", "switch's",
    ),
}  # fmt: skip


def main(
    records: Annotated[list[int] | None, typer.Option(help="how many there are; may be given several times")] = None,
    rounds: Annotated[int, typer.Option(help="newcomers for each number", min=1)] = 20,
    by: Annotated[list[str] | None, typer.Option(help="lists (the paper's variant), level (the fair-level variant); both")] = None,
    grpc_port: Annotated[int, typer.Option(help="P4Runtime port of the switch")] = 50051,
    output: Annotated[Path, typer.Option(help="where the figures go")] = PROJECT / "results" / "scale.json",
) -> None:
    """Measure what one more transmission costs beside 100, 1,000 and 10,000 others: by the lists, and by one level a port."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that it leaves no switch and no interfaces behind
    wanted = by or [LISTS, LEVEL]
    if unknown := set(wanted) - set(HEADINGS):
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: there is {' and '.join(HEADINGS)}", param_hint="--by")
    measured: dict[str, list[Scale] | list[LevelScale]] = {}
    counts = records or [100, 1_000, 10_000]
    try:
        if LISTS in wanted:
            measured[LISTS] = [measure(count, rounds, grpc_port) for count in counts]
        if LEVEL in wanted:
            measured[LEVEL] = [measure_level(count, rounds, grpc_port) for count in counts]
    except UserError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(EXIT_CANNOT_RUN) from None
    for name, rows in measured.items():
        table = Table(*HEADINGS[name], title=f"one more transmission, by {name}; ms")
        for row in rows:
            table.add_row(*(f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" for value in asdict(row).values()))
        Console(width=160).print(table)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps({name: [asdict(row) for row in rows] for name, rows in measured.items()}, indent=2) + "\n")


if __name__ == "__main__":
    end_with(lambda: typer.run(main))
