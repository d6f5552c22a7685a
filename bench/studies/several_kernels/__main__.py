"""``python -m bench.studies.several_kernels``: the table of docs/several-kernels.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from statistics import median
from typing import Annotated

import typer
from rich.table import Table

from bench.studies.several_kernels.kernels import KERNEL, Run, Way, run
from bench.studies.several_kernels.network import Network
from common.command_end import end_with
from common.errors import EXIT_CANNOT_RUN, UserError
from common.terminal import terminal
from virtual_time.session import Session

DELAYS_US = (5000.0, 50.0)
WIDTH_WITHOUT_TERMINAL = 160


def main(
    hosts: Annotated[int, typer.Option(help="of each of the two switches; even", min=4)] = 8,
    rate_mbps: Annotated[float, typer.Option(help="of all links")] = 100.0,
    seconds: Annotated[float, typer.Option(help="virtual, how long transfers send")] = 5.0,
    repetitions: Annotated[int, typer.Option(help="of each way; one after the other, in turn", min=1)] = 3,
) -> None:
    """Run one network in one kernel and in two, and show how fast virtual time goes, and whether digits differ."""
    console = terminal(WIDTH_WITHOUT_TERMINAL)
    try:
        session = Session.prepare(kernel=KERNEL)
        runs = []
        for delay_us in DELAYS_US:
            network = Network(hosts=hosts, rate_mbps=rate_mbps, trunk_delay_us=delay_us, seconds=seconds)
            measured = [run(session, network, way) for _ in range(repetitions) for way in Way]
            runs.append((delay_us, measured))
    except UserError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(EXIT_CANNOT_RUN) from None
    table = Table("delay", "way", "real s a virtual s", "faster", "processor s", "calendar's", "payload, bytes", "links' checksum")
    for delay_us, measured in runs:
        for cells in _rows(measured):
            table.add_row(f"{delay_us:g} µs", *cells)
    console.print(table)


def _rows(measured: list[Run]) -> Iterator[tuple[str, ...]]:
    by_way = {way: [one for one in measured if one.way is way] for way in Way}
    alone_s = median(one.real_per_virtual for one in by_way[Way.ONE])
    for way, runs in by_way.items():
        pace_s = median(one.real_per_virtual for one in runs)
        yield (
            way.value,
            f"{pace_s:.2f}",
            f"{alone_s / pace_s:.2f} ×",
            f"{median(one.processor_s for one in runs):.1f}",
            f"{median(one.calendar_s for one in runs):.1f}",
            ", ".join(sorted({str(sum(one.received.values())) for one in runs})),
            ", ".join(sorted({one.links for one in runs})),
        )


if __name__ == "__main__":
    end_with(lambda: typer.run(main))
