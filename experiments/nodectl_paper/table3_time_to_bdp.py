"""Figure 5 and table 3: bytes in flight after the start, and when they reach bandwidth × RTT."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.nodectl_paper.setup import (
    FRAME_BYTES,
    NODECTL,
    PAYLOAD_BYTES,
    PUBLISHED_NAMES,
    QUEUES_PACKETS,
    RECEIVER,
    SCHEMES,
    SENDER,
    dumbbell,
    set_path,
)
from experiments.nodectl_paper.tables import HEADER, measured_row, published_row, verdict
from experiments.published import published_table
from experiments.reproduction.cell import Cell, Measurement
from experiments.reproduction.document import Block, Picture, Table, Text
from experiments.reproduction.experiment import Effort, Experiment, NetworkSpec
from experiments.reproduction.figures import Line, Panel, draw_panels
from experiments.reproduction.measures import BITS_PER_BYTE, thinned, time_to_reach
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.results import Results
from experiments.reproduction.transfers import Sending

PUBLISHED = "nodectl/table3_time_to_bdp_ms"
PAIRS = ((10, 20), (10, 80), (80, 20), (80, 80))
"""Bottleneck in Mbit/s and RTT in ms."""

DURATION_S = {20: 1.0, 80: 2.0}
"""By RTT: more than twice what the slowest scheme took to reach the BDP."""

RTTS_ALLOWED = 2.2
DRAWN_QUEUE = 1000


def bdp_bytes(rate_mbps: float, rtt_ms: float) -> float:
    """Bandwidth × RTT in bytes of Ethernet frames."""
    return rate_mbps * 1e6 * rtt_ms / 1e3 / BITS_PER_BYTE


class TimeToBdp(Experiment):
    """Table 3."""

    name = "table3"
    title = "Table 3 and figure 5: time until the bytes in flight reach the BDP"
    source = "section 6.2.1, figure 5, table 3"

    def cells(self, effort: Effort) -> list[Cell]:
        """Four pairs of bandwidth and RTT, both queues; in a quick look the small one only where it makes a difference."""
        return [
            Cell(self.name, scheme, repetition, {"rate_mbps": rate, "rtt_ms": rtt, "queue_packets": queue})
            for repetition in range(1, effort.repetitions + 1)
            for rate, rtt in PAIRS
            for queue in QUEUES_PACKETS
            if not effort.quick or queue == DRAWN_QUEUE or (rate, rtt) == PAIRS[-1]
            for scheme in SCHEMES
        ]

    def network(self, cell: Cell) -> NetworkSpec:
        """A dumbbell for each bottleneck rate."""
        return dumbbell(cell["rate_mbps"])

    def duration_s(self, cell: Cell) -> float:
        """By RTT."""
        return DURATION_S[cell["rtt_ms"]]

    def measure(self, network: RunningNetwork, cell: Cell, folder: Path) -> Measurement:
        """One transmission from the start."""
        set_path(network, cell["rtt_ms"] / 2, cell["queue_packets"])
        run = network.transmit([Sending("A", SENDER, RECEIVER, cell.scheme)], folder, duration_s=self.duration_s(cell))
        transfer = run["A"]
        in_flight = transfer.column("bytes_in_flight")
        payload_level = bdp_bytes(cell["rate_mbps"], cell["rtt_ms"]) * PAYLOAD_BYTES / FRAME_BYTES
        reached_s = time_to_reach(in_flight, payload_level, transfer.connected_s)
        time_s, kilobytes = thinned(in_flight.time_s - transfer.connected_s, in_flight.value * FRAME_BYTES / PAYLOAD_BYTES / 1e3)
        return Measurement(
            verdict=run.verdict,
            values={
                "time_to_bdp_ms": None if reached_s is None else reached_s * 1e3,
                "handshake_rtt_ms": transfer.summary["handshake_rtt_s"] * 1e3,
                "largest_in_flight_kb": max(kilobytes, default=0.0),
                "queue_drops": run.queue_drops,
            },
            series={"time_s": time_s, "in_flight_kb": kilobytes},
            facts={"congestion_control": transfer.congestion_control},
        )

    def report(self, results: Results) -> list[Block]:
        """The table, the bar Nodectl has to meet, the figure."""
        published = published_table(PUBLISHED)
        rows, bars = [], []
        for rate, rtt in PAIRS:
            pair = f"{rate} Mbit/s × {rtt} ms"
            for queue in QUEUES_PACKETS:
                if not results.select(rate_mbps=rate, rtt_ms=rtt, queue_packets=queue):
                    continue
                point: dict[str, Any] = {"rate_mbps": rate, "rtt_ms": rtt, "queue_packets": queue}
                rows.append(measured_row(pair, f"queue {queue}", (results.text("time_to_bdp_ms", s, "{:.0f}", **point) for s in SCHEMES)))
                found = results.spread("time_to_bdp_ms", NODECTL, **point)
                took = f"{found.median / rtt:.2f} RTT" if found else "—"
                bars.append(f"- {pair}, queue {queue}: {took}: {verdict(found.median <= RTTS_ALLOWED * rtt if found else None)}")
            rows.append(published_row(pair, published, f"{rate}Mbps_{rtt}ms"))
        return [
            Text(
                "Time from the sender's connection being ESTABLISHED until the bytes in flight (TCP_INFO, sampled every millisecond; "
                "counted at the Ethernet frame like the link's rate) reach bandwidth × RTT. A dash: they never did, because the queue "
                "overflowed or the scheme left its start-up before."
            ),
            Table("Milliseconds; queue: of the bottleneck, in packets.", ["bandwidth × RTT", "", *HEADER], rows, left_columns=2),
            Text(f"Nodectl, bar: at most {RTTS_ALLOWED} RTT.\n\n" + "\n".join(bars)),
            Picture(
                "table3-in-flight",
                f"Figure 5: bytes in flight after the connection was established, queue {DRAWN_QUEUE} packets. Dashed: the BDP.",
                lambda file: self._draw(results, file),
            ),
        ]

    def _draw(self, results: Results, file: Path) -> None:
        panels = []
        for rate, rtt in PAIRS:
            lines = []
            for scheme in SCHEMES:
                record = results.typical("time_to_bdp_ms", scheme, rate_mbps=rate, rtt_ms=rtt, queue_packets=DRAWN_QUEUE)
                if record:
                    lines.append(Line(PUBLISHED_NAMES[scheme], record.series["time_s"], record.series["in_flight_kb"]))
            panels.append(Panel(f"{rate} Mbit/s × {rtt} ms", "time, s", "in flight, KB", lines, bdp_bytes(rate, rtt) / 1e3))
        draw_panels(panels, 2, file)
