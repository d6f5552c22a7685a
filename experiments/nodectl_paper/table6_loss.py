"""Figure 8 and table 6: what random loss, bandwidth and delay leave of the throughput."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.nodectl_paper.setup import NODECTL, PUBLISHED_NAMES, RECEIVER, SCHEMES, SENDER, dumbbell, set_path
from experiments.nodectl_paper.tables import HEADER, measured_row, published_row, verdict
from experiments.published import published_table
from experiments.reproduction.cell import Cell, Measurement
from experiments.reproduction.document import Block, Picture, Table, Text
from experiments.reproduction.experiment import Effort, Experiment, NetworkSpec
from experiments.reproduction.figures import Line, Panel, draw_panels
from experiments.reproduction.measures import BITS_PER_BYTE
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.results import MISSING, Results, Spread, spread
from experiments.reproduction.transfers import Sending

PUBLISHED = "nodectl/table6_ratios_percent"
QUEUE_PACKETS = 100
DURATION_S = 20.0
QUICK_DURATION_S = {"a": 2.0, "b": 2.0, "c": 4.0}
"""By part; at an RTT of 300 ms the start-up takes longer."""


@dataclass(frozen=True)
class Part:
    """One of the three: what varies, and which two points the table's ratio is of."""

    letter: str
    key: str
    what: str
    varies: str
    unit: str
    values: tuple[float, ...]
    above: float
    below: float
    lowest_percent: float
    rate_mbps: float = 80
    one_way_ms: float = 10
    loss_percent: float = 0.0

    def duration_s(self, effort: Effort) -> float:
        """Of a transmission, seconds."""
        return QUICK_DURATION_S[self.letter] if effort.quick else DURATION_S

    def point(self, value: float) -> dict[str, Any]:
        """Parameters of a cell."""
        fixed = {"rate_mbps": self.rate_mbps, "one_way_ms": self.one_way_ms, "loss_percent": self.loss_percent}
        return fixed | {self.varies: value}


PARTS = (
    Part(
        "a", "a_throughput_at_0.3%_loss_over_no_loss_80Mbps", "throughput at 0.3 % loss over that without loss (80 Mbit/s, RTT 10 ms)",
        "loss_percent", "%", (0.0, 0.05, 0.1, 0.2, 0.3), 0.3, 0.0, 99.0, one_way_ms=5,
    ),
    Part(
        "b", "b_utilization_90Mbps_over_10Mbps_at_0.015%_loss", "utilization of 90 Mbit/s over that of 10 Mbit/s (0.015 % loss, RTT 20 ms)",
        "rate_mbps", "Mbit/s", (10, 30, 50, 70, 90), 90, 10, 99.0, loss_percent=0.015,
    ),
    Part(
        "c", "c_throughput_150ms_over_10ms_at_0.15%_loss", "throughput at 150 ms over that at 10 ms, one-way (80 Mbit/s, 0.15 % loss)",
        "one_way_ms", "ms", (10, 45, 80, 115, 150), 150, 10, 86.7, loss_percent=0.15,
    ),
)  # fmt: skip


class Loss(Experiment):
    """Table 6."""

    name = "table6"
    title = "Table 6 and figure 8: impact of packet loss"
    source = "section 6.3.2, figure 8, table 6"

    def cells(self, effort: Effort) -> list[Cell]:
        """Three sweeps; a quick look measures only the ends that the table's ratios are of."""
        return [
            Cell(self.name, scheme, repetition, {"part": part.letter, **part.point(value), "duration_s": part.duration_s(effort)})
            for repetition in range(1, effort.repetitions + 1)
            for part in PARTS
            for value in part.values
            if not effort.quick or value in (part.above, part.below)
            for scheme in SCHEMES
        ]

    def network(self, cell: Cell) -> NetworkSpec:
        """A dumbbell for each bottleneck rate."""
        return dumbbell(cell["rate_mbps"])

    def duration_s(self, cell: Cell) -> float:
        """The same for all."""
        return float(cell["duration_s"])

    def measure(self, network: RunningNetwork, cell: Cell, folder: Path) -> Measurement:
        """One transmission. All schemes meet the same sequence of losses."""
        set_path(network, cell["one_way_ms"], QUEUE_PACKETS, cell["loss_percent"], seed=1000 + cell.repetition)
        duration_s = cell["duration_s"]
        run = network.transmit([Sending("A", SENDER, RECEIVER, cell.scheme, sampled=False)], folder, duration_s=duration_s)
        transfer = run["A"]
        mbps = transfer.received_bytes * BITS_PER_BYTE / (run.start_s + duration_s - transfer.connected_s) / 1e6
        return Measurement(
            verdict=run.verdict,
            values={
                "throughput_mbps": mbps,
                "utilization_percent": 100 * mbps / cell["rate_mbps"],
                "lost_packets": run.loss_drops,
                "queue_drops": run.queue_drops,
                "retransmits": transfer.summary["retransmits"],
            },
            facts={"congestion_control": transfer.congestion_control, "negotiation": str(transfer.summary["negotiation"])},
        )

    def report(self, results: Results) -> list[Block]:
        """The ratios, the bars, the values behind them, the figure."""
        published = published_table(PUBLISHED)
        rows, bars, behind = [], [], []
        for part in PARTS:
            rows.append(measured_row(f"({part.letter})", "", (_text(ratio_percent(results, part, s)) for s in SCHEMES)))
            rows.append(published_row(f"({part.letter})", published, part.key))
            found = ratio_percent(results, part, NODECTL)
            met = verdict(found.median >= part.lowest_percent if found else None)
            bars.append(f"- ({part.letter}) {_text(found)} %, at least {part.lowest_percent:g} %: {met}")
            behind += [
                [
                    f"({part.letter}) {value:g} {part.unit}",
                    *(results.text("throughput_mbps", s, "{:.2f}", part=part.letter, **part.point(value)) for s in SCHEMES),
                ]
                for value in part.values
                if results.select(part=part.letter, **part.point(value))
            ]
        return [
            Text(
                "Ratios of mean payload throughput (b: of utilization):\n\n"
                + "\n".join(f"- ({part.letter}) {part.what}" for part in PARTS)
                + "\n\nThroughput is what the receiver got from the connection being ESTABLISHED to the end, so the start-up and the "
                f"negotiation count; at 150 ms one-way they take a larger part of the run. Bottleneck queue {QUEUE_PACKETS} packets. "
                "Packets are lost by chance on the bottleneck in the direction of the data, negotiation requests as well as data. "
                "The paper says neither the delays of (a) and (b) nor the direction of the loss."
            ),
            Table("Percent: median over repetitions, each scheme's ratio of the same repetition.", ["", "", *HEADER], rows, left_columns=2),
            Text("Nodectl, bars:\n\n" + "\n".join(bars)),
            Table("The throughputs themselves, measured, Mbit/s.", ["point", *HEADER], behind),
            Picture("table6-loss", "Figure 8: loss, bandwidth, delay.", lambda file: self._draw(results, file)),
        ]

    def _draw(self, results: Results, file: Path) -> None:
        panels = []
        for part in PARTS:
            value_name = "utilization_percent" if part.letter == "b" else "throughput_mbps"
            lines = []
            for scheme in SCHEMES:
                found = {value: results.spread(value_name, scheme, part=part.letter, **part.point(value)) for value in part.values}
                known = {value: one for value, one in found.items() if one}
                lines.append(
                    Line(
                        PUBLISHED_NAMES[scheme],
                        list(known),
                        [one.median for one in known.values()],
                        [one.lowest for one in known.values()],
                        [one.highest for one in known.values()],
                    )
                )
            x_label = {"loss_percent": "loss, %", "rate_mbps": "bottleneck, Mbit/s", "one_way_ms": "one-way delay, ms"}[part.varies]
            y_label = "utilization, %" if part.letter == "b" else "throughput, Mbit/s"
            panels.append(Panel(f"({part.letter})", x_label, y_label, lines, points=True))
        draw_panels(panels, 3, file)


def ratio_percent(results: Results, part: Part, scheme: str) -> Spread | None:
    """A scheme's ratio over the repetitions that have both points."""
    value = "utilization_percent" if part.letter == "b" else "throughput_mbps"
    above, below = (
        {record.repetition: record.values[value] for record in results.select(scheme, part=part.letter, **part.point(end))}
        for end in (part.above, part.below)
    )
    ratios = [100 * (above[r] or 0.0) / denominator for r, denominator in below.items() if r in above and denominator]
    return spread(ratios)


def _text(found: Spread | None) -> str:
    return found.text("{:.1f}") if found else MISSING
