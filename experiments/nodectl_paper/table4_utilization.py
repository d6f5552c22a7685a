"""Figure 6 and table 4: how much of the link a file of a given size makes use of."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from experiments.nodectl_paper.setup import NODECTL, PUBLISHED_NAMES, QUEUES_PACKETS, RECEIVER, SCHEMES, SENDER, dumbbell, set_path
from experiments.nodectl_paper.tables import HEADER, measured_row, published_row, verdict
from experiments.published import published_table
from experiments.reproduction.cell import Cell, Measurement
from experiments.reproduction.document import Block, Picture, Table, Text
from experiments.reproduction.experiment import Effort, Experiment, NetworkSpec
from experiments.reproduction.figures import Line, Panel, draw_panels
from experiments.reproduction.measures import BITS_PER_BYTE, utilisation
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.results import Results
from experiments.reproduction.transfers import Sending

PUBLISHED = "nodectl/table4_utilization_3MB_80Mbps_percent"
RATE_MBPS = 80
DELAYS_MS = (30, 35, 40, 45)
SIZES_BYTES = (3_000, 9_000, 30_000, 90_000, 300_000, 900_000, 3_000_000, 9_000_000, 30_000_000, 90_000_000)
TABLE_SIZE_BYTES = 3_000_000
QUICK_SIZES_BYTES = (30_000, 300_000)
"""Besides that of the table, and at the shortest delay alone."""

LOWEST_PERCENT = {30: 72, 35: 69, 40: 67, 45: 64}
HIGHEST_PERCENT = {30: 74.1, 35: 71.2, 40: 69.0, 45: 66.7}
"""What the definition allows: one RTT of negotiation, half an RTT, and 3 MB at 80 Mbit/s less headers."""


class Utilization(Experiment):
    """Table 4."""

    name = "table4"
    title = "Table 4 and figure 6: bandwidth utilization of files"
    source = "section 6.2.2, figure 6, table 4"

    def cells(self, effort: Effort) -> list[Cell]:
        """Sizes × delays × queues."""
        grid = [(size, delay, queue) for delay in DELAYS_MS for queue in QUEUES_PACKETS for size in SIZES_BYTES]
        if effort.quick:
            grid = [point for point in grid if point[0] == TABLE_SIZE_BYTES or (point[0] in QUICK_SIZES_BYTES and point[1:] == (30, 1000))]
        return [
            Cell(self.name, scheme, repetition, {"size_bytes": size, "delay_ms": delay, "queue_packets": queue})
            for repetition in range(1, effort.repetitions + 1)
            for size, delay, queue in grid
            for scheme in SCHEMES
        ]

    def network(self, cell: Cell) -> NetworkSpec:  # noqa: ARG002 - one for all
        """One dumbbell."""
        return dumbbell(RATE_MBPS)

    def duration_s(self, cell: Cell) -> float:
        """The transfer at full rate, and some RTTs of slow start."""
        return float(cell["size_bytes"]) * BITS_PER_BYTE / (RATE_MBPS * 1e6) + 0.8

    def measure(self, network: RunningNetwork, cell: Cell, folder: Path) -> Measurement:
        """One file."""
        set_path(network, cell["delay_ms"], cell["queue_packets"])
        size_bytes = cell["size_bytes"]
        run = network.transmit([Sending("A", SENDER, RECEIVER, cell.scheme, size_bytes=size_bytes, sampled=False)], folder)
        transfer = run["A"]
        took_s = transfer.last_data_s - transfer.connected_s if transfer.is_complete and transfer.last_data_s else None
        return Measurement(
            verdict=run.verdict,
            values={
                "took_ms": None if took_s is None else took_s * 1e3,
                "utilization_percent": None if took_s is None else 100 * utilisation(size_bytes, took_s, RATE_MBPS * 1e6),
                "throughput_mbps": None if took_s is None else size_bytes * BITS_PER_BYTE / took_s / 1e6,
                "queue_drops": run.queue_drops,
                "retransmits": transfer.summary["retransmits"],
            },
            facts={"congestion_control": transfer.congestion_control, "negotiation": str(transfer.summary["negotiation"])},
        )

    def report(self, results: Results) -> list[Block]:
        """The table of 3 MB, the bar, the figure."""
        published = published_table(PUBLISHED)
        rows, bars = [], []
        for delay in DELAYS_MS:
            for queue in QUEUES_PACKETS:
                point: dict[str, Any] = {"size_bytes": TABLE_SIZE_BYTES, "delay_ms": delay, "queue_packets": queue}
                rows.append(
                    measured_row(f"{delay} ms", f"queue {queue}", (results.text("utilization_percent", s, **point) for s in SCHEMES))
                )
                found = results.spread("utilization_percent", NODECTL, **point)
                met = verdict(found.median >= LOWEST_PERCENT[delay] if found else None)
                value = f"{found.median:.1f} %" if found else "—"
                bars.append(
                    f"- {delay} ms, queue {queue}: {value}, at least {LOWEST_PERCENT[delay]} % "
                    f"(the definition allows {HIGHEST_PERCENT[delay]} %): {met}"
                )
            rows.append(published_row(f"{delay} ms", published, f"{delay}ms"))
        return [
            Text(
                f"A file over a link of {RATE_MBPS} Mbit/s. *Link delay* is one-way, over the whole way (RTT 60 to 90 ms). "
                "Utilization: payload over the time from the sender's connection being ESTABLISHED to the receiver having read the last "
                "byte, over the link's rate. For Nodectl that includes the negotiation. The published values are rounded to whole Mbit/s."
            ),
            Table("Percent, files of 3 MB; queue: of the bottleneck, in packets.", ["link delay", "", *HEADER], rows, left_columns=2),
            Text("Nodectl, bar:\n\n" + "\n".join(bars)),
            *(
                Picture(
                    f"table4-throughput-queue{queue}",
                    f"Figure 6: mean throughput by file size, queue {queue} packets. Dashed: the link's rate.",
                    partial(self._draw, results, queue),
                )
                for queue in QUEUES_PACKETS
            ),
        ]

    def _draw(self, results: Results, queue: int, file: Path) -> None:
        panels = []
        for delay in DELAYS_MS:
            lines = []
            for scheme in SCHEMES:
                found = {
                    size: results.spread("throughput_mbps", scheme, size_bytes=size, delay_ms=delay, queue_packets=queue)
                    for size in SIZES_BYTES
                }
                known = {size: spread for size, spread in found.items() if spread}
                lines.append(
                    Line(
                        PUBLISHED_NAMES[scheme],
                        [size / 1000 for size in known],
                        [s.median for s in known.values()],
                        [s.lowest for s in known.values()],
                        [s.highest for s in known.values()],
                    )
                )
            panels.append(
                Panel(f"link delay {delay} ms", "file size, KB", "throughput, Mbit/s", lines, RATE_MBPS, logarithmic_x=True, points=True)
            )
        draw_panels(panels, 2, file)
