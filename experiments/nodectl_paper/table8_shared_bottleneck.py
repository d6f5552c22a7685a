"""Figure 10 and table 8: two subflows of real MPTCP over one bottleneck, beside a transmission over one path."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from experiments.nodectl_paper.setup import (
    ACCESS_DELAY_MS,
    ACCESS_MBPS,
    NODECTL,
    PACKET_BYTES,
    PAYLOAD_SHARE,
    SOCKET_BUFFER_BYTES,
    set_path,
)
from experiments.published import published_table
from experiments.reproduction.cell import Cell, CellRecord, Measurement
from experiments.reproduction.document import Block, Picture, Table, Text
from experiments.reproduction.experiment import Effort, Experiment, NetworkSpec, once_a_scheme
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.results import MISSING, Results
from experiments.reproduction.transfers import Sending
from experiments.samples import Series, sender_column
from experiments.statistics import mean_bps, throughput_bps
from scenario.file import LinkParameters
from topo.network_plan import NetworkPlan

PUBLISHED = "nodectl/table8_shared_bottleneck_6Mbps_mbps"
SCHEMES = ("coupled", "lia", "reno", NODECTL)
"""Of D. A is standard TCP (reno) beside the first three."""

NAMES = {"coupled": "MPTCP coupled", "lia": "MPTCP LIA", "reno": "MPTCP uncoupled", NODECTL: "Nodectl"}
PUBLISHED_COLUMNS = {"coupled": "mptcp_coupled", NODECTL: "nodectl"}
BOTTLENECK_MBPS = 6.0
BOTTLENECK_DELAY_MS = 20.0
QUEUE_PACKETS = 100
SINGLE, MULTI = "A", "D"
SENDER_A, SENDER_D, RECEIVER_A, RECEIVER_D = "h1", "h2", "h3", "h4"
D_STARTS_S = 5.0
SETTLED_AFTER_S = 5.0
"""After D's start; the means are taken from there on."""

DURATION_S, QUICK_DURATION_S = 60.0, 13.0
BIN_S = 0.2
FAIR_WITHIN = 0.05
MEGABIT = 1e6
CURVES = {"a_mbps": "A", "d1_mbps": "D1", "d2_mbps": "D2"}


def two_access_links() -> NetworkSpec:
    """The dumbbell, with two access links of D's sender: both its subflows pass the bottleneck."""

    def build(grpc_base_port: int) -> NetworkPlan:
        plan = NetworkPlan(
            mtu_bytes=PACKET_BYTES, initial_window_packets=1, socket_buffer_bytes=SOCKET_BUFFER_BYTES, grpc_base_port=grpc_base_port
        )
        access = LinkParameters(rate_mbps=ACCESS_MBPS, delay_ms=ACCESS_DELAY_MS)
        plan.add_switch("s1")
        plan.add_switch("s2")
        for host, switch in ((SENDER_A, "s1"), (SENDER_D, "s1"), (RECEIVER_A, "s2"), (RECEIVER_D, "s2")):
            plan.add_host(host, switch, access)
        plan.add_interface(SENDER_D, "s1", access)
        plan.add_trunk("s1", "s2", LinkParameters(rate_mbps=BOTTLENECK_MBPS, queue_packets=QUEUE_PACKETS))
        return plan

    return NetworkSpec(key="two-access-links-6mbps", build=build, schemes=SCHEMES)


class SharedBottleneck(Experiment):
    """Table 8."""

    name = "table8"
    title = "Table 8 and figure 10: two subflows over one bottleneck"
    source = "section 6.4.2: figure 10 and table 8"

    def cells(self, effort: Effort) -> list[Cell]:
        """One for each scheme."""
        duration_s = QUICK_DURATION_S if effort.quick else DURATION_S
        return once_a_scheme(self.name, SCHEMES, effort, duration_s=duration_s)

    def network(self, cell: Cell) -> NetworkSpec:  # noqa: ARG002
        """The same for all."""
        return two_access_links()

    def duration_s(self, cell: Cell) -> float:
        """As the cell says."""
        return float(cell["duration_s"])

    def measure(self, network: RunningNetwork, cell: Cell, folder: Path) -> Measurement:
        """A alone for 5 s, then D beside it."""
        set_path(network, BOTTLENECK_DELAY_MS + 2 * ACCESS_DELAY_MS, QUEUE_PACKETS)
        duration_s = self.duration_s(cell)
        single = cell.scheme if cell.scheme == NODECTL else "reno"
        run = network.transmit(
            [
                Sending(SINGLE, SENDER_A, RECEIVER_A, single),
                Sending(MULTI, SENDER_D, RECEIVER_D, cell.scheme, start_s=D_STARTS_S, extra={"multipath": True}),
            ],
            folder,
            duration_s=duration_s,
        )
        from_s, to_s = run.start_s + D_STARTS_S + SETTLED_AFTER_S, run.start_s + duration_s
        samples = run[MULTI].sending.samples_file(folder)
        curves: dict[str, Series] = {"a_mbps": run[SINGLE].received}
        for number, flow in enumerate(("d1_mbps", "d2_mbps")):
            file = samples.with_suffix(f".{number}{samples.suffix}")
            if file.exists():
                curves[flow] = sender_column(file, "bytes_acked")
        values: dict[str, float | None] = {name: mean_bps(series, from_s, to_s) / MEGABIT for name, series in curves.items()}
        values["d_mbps"] = mean_bps(run[MULTI].received, from_s, to_s) / MEGABIT
        values["queue_drops"] = run.queue_drops
        values["subflows"] = len(run[MULTI].summary["subflows"])
        series: dict[str, list[float]] = {}
        for name, curve in curves.items():
            time_s, rate_bps = throughput_bps(curve, run.start_s, to_s, BIN_S)
            series["time_s"] = [round(float(time), 3) for time in time_s]
            series[name] = [round(float(rate) / MEGABIT, 4) for rate in rate_bps]
        return Measurement(
            verdict=run.verdict, values=values, series=series, facts={"congestion_control": run[MULTI].congestion_control, "single": single}
        )

    def report(self, results: Results) -> list[Block]:
        """The table, the bar Nodectl has to meet, the figure."""
        schemes = [scheme for scheme in SCHEMES if results.select(scheme)]
        published = published_table(PUBLISHED)
        rows = []
        for name, value in ((SINGLE, "a_mbps"), (MULTI, "d_mbps"), ("D1", "d1_mbps"), ("D2", "d2_mbps")):
            rows.append([name, "measured", *(results.text(value, scheme, "{:.2f}") for scheme in schemes)])
            if name in published:
                known = [published[name].get(PUBLISHED_COLUMNS.get(scheme, "")) for scheme in schemes]
                rows.append([name, "published", *(MISSING if one is None else f"{one:g}" for one in known)])
        rows.append(["packets dropped", "measured", *(results.text("queue_drops", scheme, "{:.0f}") for scheme in schemes)])
        blocks: list[Block] = [
            Text(
                f"A sends over one path, D over two subflows of the kernel's MPTCP, whose sender has two access links; both pass the "
                f"bottleneck of {BOTTLENECK_MBPS:g} Mbit/s and {BOTTLENECK_DELAY_MS:g} ms (the paper leaves the delay open). D starts "
                f"{D_STARTS_S:g} s after A; means are taken from {SETTLED_AFTER_S:g} s after that. A is standard TCP beside MPTCP, and "
                f"Nodectl beside Nodectl. An equal share is {BOTTLENECK_MBPS / 2 * PAYLOAD_SHARE:.2f} Mbit/s of payload. D1 and D2 are "
                f"counted at the sender. The published coupled control is ns-3's; measured are the testbed's `coupled` and `lia`, and "
                f"for comparison standard TCP on each subflow by itself. In the paper the coupled D takes twice as much as A, as two "
                f"subflows do that are not coupled at all; LIA and COUPLED are made so that D takes no more than A at a shared bottleneck. "
                f"Runs of a minute scatter: with losses by drop-tail, one subflow or the other is hit for many seconds."
            ),
            Table("Mean payload throughput, Mbit/s.", ["", "", *(NAMES[scheme] for scheme in schemes)], rows, left_columns=2),
        ]
        a, d = results.spread("a_mbps", NODECTL), results.spread("d_mbps", NODECTL)
        if a is not None and d is not None:
            apart = abs(a.median - d.median) / max(a.median, d.median)
            word = "met" if apart <= FAIR_WITHIN else "MISSED"
            blocks.append(Text(f"Nodectl: A and D are {100 * apart:.2f} % apart (bar: {100 * FAIR_WITHIN:g} %, {word})."))
        typical = {scheme: record for scheme in schemes if (record := results.typical("d_mbps", scheme)) is not None}
        if typical:
            caption = f"Throughput over time (bins of {BIN_S * 1000:.0f} ms), the repetition nearest the median."
            blocks.append(Picture("figure10", caption, lambda file: _draw(typical, file)))
        return blocks


def _draw(records: dict[str, CellRecord], file: Path) -> None:
    figure, panels = plt.subplots(1, len(records), figsize=(4.5 * len(records), 3.5), sharey=True, squeeze=False, layout="constrained")
    for axes, (scheme, record) in zip(panels[0], records.items(), strict=True):
        for name, label in CURVES.items():
            if name in record.series:
                axes.plot(record.series["time_s"], record.series[name], label=label, linewidth=1.1)
        axes.set_title(NAMES[scheme], fontsize=10)
        axes.set_xlabel("time, s")
        axes.set_ylim(0, BOTTLENECK_MBPS * 1.05)
        axes.grid(alpha=0.3)
    panels[0][0].set_ylabel("throughput, Mbit/s")
    panels[0][0].legend(fontsize=8)
    figure.savefig(file, dpi=120)
    plt.close(figure)
