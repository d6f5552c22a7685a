"""Figure 9 and table 7: three transmissions that begin 5 s apart."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import numpy as np

from experiments.nodectl_paper.setup import NODECTL, PAYLOAD_SHARE, PUBLISHED_NAMES, SCHEMES, dumbbell, set_path
from experiments.nodectl_paper.tables import HEADER, measured_row, published_row, verdict
from experiments.published import published_table
from experiments.reproduction.cell import Cell, Measurement
from experiments.reproduction.document import Block, Picture, Table, Text
from experiments.reproduction.experiment import Effort, Experiment, NetworkSpec, once_a_scheme
from experiments.reproduction.figures import Line, Panel, draw_panels
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.results import Results
from experiments.reproduction.transfers import Sending
from experiments.samples import Floats
from experiments.statistics import BIN_S, increase_per_bin, jain_index, mean_bps, throughput_bps

PUBLISHED = "nodectl/table7_mean_throughput_mbps_36Mbps_3_staggered_flows"
RATE_MBPS = 36
ONE_WAY_MS = 30
"""The bottleneck's 20 ms, and 5 ms on either side."""
QUEUE_PACKETS = 100
NAMES = ("A", "B", "C")
STAGGER_S = 5.0
DURATION_S = 21.0
QUICK_DURATION_S = 15.0
MEASURE_FROM_S = 11.0
"""All three send, the last one for a second already."""
ALLOWED_DIFFERENCE = 0.02


class Staggered(Experiment):
    """Table 7."""

    name = "table7"
    title = "Table 7 and figure 9: three staggered transmissions"
    source = "section 6.4.1, figure 9, table 7"

    def cells(self, effort: Effort) -> list[Cell]:
        """One scenario."""
        duration_s = QUICK_DURATION_S if effort.quick else DURATION_S
        return once_a_scheme(self.name, SCHEMES, effort, duration_s=duration_s)

    def network(self, cell: Cell) -> NetworkSpec:  # noqa: ARG002 - one for all
        """A dumbbell of three pairs."""
        return dumbbell(RATE_MBPS, pairs=3)

    def duration_s(self, cell: Cell) -> float:
        """The same for all."""
        return float(cell["duration_s"])

    def measure(self, network: RunningNetwork, cell: Cell, folder: Path) -> Measurement:
        """Three transmissions, each on hosts of its own."""
        set_path(network, ONE_WAY_MS, QUEUE_PACKETS)
        duration_s = cell["duration_s"]
        sendings = [
            Sending(name, f"h{number + 1}", f"h{number + 4}", cell.scheme, start_s=number * STAGGER_S, sampled=False)
            for number, name in enumerate(NAMES)
        ]
        run = network.transmit(sendings, folder, duration_s=duration_s, watch_links=True)
        end_s = run.start_s + duration_s
        means = {name: mean_bps(run[name].received, run.start_s + MEASURE_FROM_S, end_s) for name in NAMES}
        series = {f"mbps_{name}": _megabits(throughput_bps(run[name].received, run.start_s, end_s)[1]) for name in NAMES}
        dropped = increase_per_bin(run.queue_drops_over_time(), run.start_s, end_s)
        series["dropped"] = [round(float(count), 1) for count in dropped]
        series["time_s"] = [round((number + 0.5) * BIN_S, 3) for number in range(len(series["dropped"]))]
        return Measurement(
            verdict=run.verdict,
            values={
                **{f"mean_mbps_{name}": mean / 1e6 for name, mean in means.items()},
                "jain": jain_index(list(means.values())),
                "dropped_packets": run.queue_drops,
            },
            series=series,
            facts={
                "congestion_control": run["A"].congestion_control,
                "negotiation": ",".join(str(run[name].summary["negotiation"]) for name in NAMES),
            },
        )

    def report(self, results: Results) -> list[Block]:
        """The table, the bar, the figure."""
        published = published_table(PUBLISHED)
        rows = []
        for name in NAMES:
            rows.append(measured_row(name, "", (results.text(f"mean_mbps_{name}", s, "{:.2f}") for s in SCHEMES)))
            rows.append(published_row(name, published, name))
        rows.append(measured_row("Jain's index", "", (results.text("jain", s, "{:.4f}") for s in SCHEMES)))
        rows.append(measured_row("dropped packets", "", (results.text("dropped_packets", s, "{:.0f}") for s in SCHEMES)))
        share = RATE_MBPS / len(NAMES) * PAYLOAD_SHARE
        return [
            Text(
                f"Bottleneck {RATE_MBPS} Mbit/s, 20 ms (RTT {2 * ONE_WAY_MS} ms with the access links), queue "
                f"{QUEUE_PACKETS} packets; "
                f"B starts {STAGGER_S:g} s after A, C {STAGGER_S:g} s after B. Mean payload throughput from "
                f"{MEASURE_FROM_S:g} s on. An equal share is {share:.2f} Mbit/s of payload."
            ),
            Table("Mbit/s of payload; dropped: packets, by the queues, in the whole run.", ["", "", *HEADER], rows, left_columns=2),
            Text("Nodectl, bar: " + self._bar(results)),
            Picture(
                "table7-staggered",
                "Figure 9: throughput of A, B and C in bins of 100 ms, and the packets that the queue dropped in each.",
                lambda file: self._draw(results, file),
            ),
        ]

    def _bar(self, results: Results) -> str:
        records = results.select(NODECTL)
        if not records:
            return verdict(None)
        differences = []
        for record in records:
            means = [record.values[f"mean_mbps_{name}"] or 0.0 for name in NAMES]
            differences.append(max(means) / min(means) - 1 if min(means) else np.inf)
        dropped = max(record.values["dropped_packets"] or 0 for record in records)
        return (
            f"within {100 * ALLOWED_DIFFERENCE:g} % of each other: {100 * median(differences):.2f} %: "
            f"{verdict(median(differences) <= ALLOWED_DIFFERENCE)}; "
            f"no loss: {dropped:.0f} packets dropped: {verdict(dropped == 0)}"
        )

    def _draw(self, results: Results, file: Path) -> None:
        throughput, losses = [], []
        for scheme in SCHEMES:
            record = results.typical("jain", scheme)
            if record is None:
                continue
            lines = [Line(name, record.series["time_s"], record.series[f"mbps_{name}"]) for name in NAMES]
            throughput.append(Panel(PUBLISHED_NAMES[scheme], "time, s", "throughput, Mbit/s", lines))
            dropped = [Line("dropped", record.series["time_s"], record.series["dropped"])]
            losses.append(Panel(f"{PUBLISHED_NAMES[scheme]}: dropped packets", "time, s", "packets", dropped))
        draw_panels([*losses, *throughput], max(1, len(throughput)), file)


def _megabits(rates_bps: Floats) -> list[float]:
    return [round(float(rate) / 1e6, 4) for rate in rates_bps]
