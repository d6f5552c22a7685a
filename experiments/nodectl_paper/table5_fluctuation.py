"""Figure 7 and table 5: how much RTT and throughput go up and down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.nodectl_paper.setup import (
    NODECTL,
    PAYLOAD_SHARE,
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
from experiments.reproduction.measures import thinned, value_range
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.results import Results
from experiments.reproduction.transfers import Sending
from experiments.samples import Floats
from experiments.standstills import Standstill, undisturbed
from experiments.statistics import BIN_S, throughput_bps

PUBLISHED = "nodectl/table5_fluctuation_40Mbps_20ms"
RATE_MBPS = 40
ONE_WAY_MS = 20
FROM_S = 2.0
"""The start-up is left out: the ranges are those of the seconds after it."""
DURATION_S = 22.0
QUICK_DURATION_S = 7.0
RTT_RANGE_MS = 1.0
THROUGHPUT_RANGE_SHARE = 0.02
AFTERMATH_S = 0.06
"""What a standstill made late has all arrived this long after it: one RTT, and the two samples of the receiver's count around it."""


def without_standstills(standstills: Sequence[Standstill], middles_s: Floats, rate_bps: Floats) -> dict[str, float | None]:
    """How much the processors stood still, and the range of the throughput (bit/s, by bin) in the bins that this did not touch.

    The range is missing where there is no such bin.
    """
    kept_bps = rate_bps[undisturbed(middles_s, BIN_S, standstills, AFTERMATH_S)]
    values: dict[str, float | None] = {
        "undisturbed_share": kept_bps.size / rate_bps.size,
        "standstill_max_ms": max((one.lasted_s for one in standstills), default=0.0) * 1e3,
        "standstill_total_ms": sum(one.lasted_s for one in standstills) * 1e3,
    }
    if kept_bps.size:
        values["throughput_range_undisturbed_mbps"] = value_range(kept_bps) / 1e6
    return values


class Fluctuation(Experiment):
    """Table 5."""

    name = "table5"
    title = "Table 5 and figure 7: stability of delay and throughput"
    source = "section 6.3.1, figure 7, table 5"

    def cells(self, effort: Effort) -> list[Cell]:
        """Both queues."""
        duration_s = QUICK_DURATION_S if effort.quick else DURATION_S
        return [
            Cell(self.name, scheme, repetition, {"queue_packets": queue, "duration_s": duration_s})
            for repetition in range(1, effort.repetitions + 1)
            for queue in QUEUES_PACKETS[: 1 if effort.quick else None]
            for scheme in SCHEMES
        ]

    def network(self, cell: Cell) -> NetworkSpec:  # noqa: ARG002 - one for all
        """One dumbbell."""
        return dumbbell(RATE_MBPS)

    def duration_s(self, cell: Cell) -> float:
        """The same for all."""
        return float(cell["duration_s"])

    def measure(self, network: RunningNetwork, cell: Cell, folder: Path) -> Measurement:
        """One transmission that goes on all the time."""
        set_path(network, ONE_WAY_MS, cell["queue_packets"])
        run = network.transmit([Sending("A", SENDER, RECEIVER, cell.scheme)], folder, duration_s=cell["duration_s"])
        transfer = run["A"]
        rtt = transfer.column("srtt_us")
        steady = rtt.time_s >= run.start_s + FROM_S
        rtt_ms = rtt.value[steady] / 1e3
        bins_s, rate_bps = throughput_bps(transfer.received, run.start_s, run.start_s + cell["duration_s"])
        steady_bps = rate_bps[bins_s >= FROM_S]
        rtt_time_s, rtt_drawn_ms = thinned(rtt.time_s - run.start_s, rtt.value / 1e3, 1000)
        values: dict[str, float | None] = {
            "rtt_range_ms": value_range(rtt_ms),
            "rtt_range_98_percent_ms": float(np.subtract(*np.percentile(rtt_ms, [99, 1]))),
            "rtt_median_ms": float(np.median(rtt_ms)),
            "throughput_range_mbps": value_range(steady_bps) / 1e6,
            "throughput_mean_mbps": float(steady_bps.mean()) / 1e6,
            "queue_drops": run.queue_drops,
            "lateness_max_ms": run.verdict.max_us / 1e3,
            "lateness_p99_ms": run.verdict.p99_us / 1e3,
        }
        if run.standstills is not None:
            values |= without_standstills(run.standstills, run.start_s + bins_s[bins_s >= FROM_S], steady_bps)
        return Measurement(
            verdict=run.verdict,
            values=values,
            series={
                "rtt_time_s": rtt_time_s,
                "rtt_ms": rtt_drawn_ms,
                "throughput_time_s": [round(float(one), 3) for one in bins_s],
                "throughput_mbps": [round(float(one) / 1e6, 4) for one in rate_bps],
            },
            facts={"congestion_control": transfer.congestion_control},
        )

    def report(self, results: Results) -> list[Block]:
        """The two ranges, the bars, the figure."""
        published = published_table(PUBLISHED)
        queues = [queue for queue in QUEUES_PACKETS if results.select(queue_packets=queue)]
        rows = []
        for what, value, key, form in (
            ("RTT, ms", "rtt_range_ms", "rtt_ms", "{:.2f}"),
            ("throughput, Mbit/s", "throughput_range_mbps", "throughput_mbps", "{:.2f}"),
        ):
            rows += [measured_row(what, f"queue {q}", (results.text(value, s, form, queue_packets=q) for s in SCHEMES)) for q in queues]
            rows.append(published_row(what, published, key))
        rows += [
            measured_row("median RTT, ms", f"queue {q}", (results.text("rtt_median_ms", s, queue_packets=q) for s in SCHEMES))
            for q in queues
        ]
        rows += [
            measured_row(
                "mean throughput, Mbit/s",
                f"queue {q}",
                (results.text("throughput_mean_mbps", s, "{:.2f}", queue_packets=q) for s in SCHEMES),
            )
            for q in queues
        ]
        return [
            Text(
                f'Bottleneck {RATE_MBPS} Mbit/s. The paper sets "the total transmission delay to 20 ms" without saying '
                "which way; here it is one-way (RTT "
                f"{2 * ONE_WAY_MS} ms), as in table 4. RTT: the kernel's smoothed one (TCP_INFO, every millisecond); throughput: payload "
                f"read by the receiver in bins of 100 ms. Range: largest less smallest after the first {FROM_S:g} s. A rate that "
                "fills the link exactly makes up for nothing: whenever a processor of the testbed's machine stands still, a bin lacks what "
                "should have come then. Standstills are measured by themselves (`p4switch watch-processors`), and the last bars leave out "
                f"the bins that they, and the {AFTERMATH_S * 1e3:.0f} ms after them, touch."
            ),
            Table("Ranges, and for orientation the values they are around.", ["", "", *HEADER], rows, left_columns=2),
            Text("Nodectl, bars:\n\n" + "\n".join(self._bars(results, queues))),
            Picture(
                "table5-over-time",
                f"Figure 7: RTT and throughput over time, queue {queues[0]} packets.",
                lambda file: self._draw(results, queues[0], file),
            ),
        ]

    def _bars(self, results: Results, queues: list[int]) -> list[str]:
        lines = []
        for queue in queues:
            rtt = results.spread("rtt_range_ms", NODECTL, queue_packets=queue)
            late = results.spread("lateness_max_ms", NODECTL, queue_packets=queue)
            rate = results.spread("throughput_range_mbps", NODECTL, queue_packets=queue)
            if rtt is None or late is None or rate is None:
                continue
            allowed_mbps = THROUGHPUT_RANGE_SHARE * RATE_MBPS * PAYLOAD_SHARE
            lines += [
                f"- queue {queue}: RTT range {rtt.text('{:.2f}')} ms; under {RTT_RANGE_MS:g} ms beyond the links' own lateness in these "
                f"runs (at most {late.text('{:.2f}')} ms for a packet): {verdict(rtt.median < RTT_RANGE_MS + late.median)}",
                f"- queue {queue}: throughput range {rate.text('{:.2f}')} Mbit/s; under 2 % of the rate ({allowed_mbps:.2f} Mbit/s): "
                f"{verdict(rate.median < allowed_mbps)}",
            ]
            undisturbed_rate = results.spread("throughput_range_undisturbed_mbps", NODECTL, queue_packets=queue)
            share = results.spread("undisturbed_share", NODECTL, queue_packets=queue)
            stood_still = results.spread("standstill_total_ms", NODECTL, queue_packets=queue)
            if undisturbed_rate is not None and share is not None and stood_still is not None:
                lines.append(
                    f"- queue {queue}: the same in the bins in which no processor of this machine stood still for a millisecond or more "
                    f"({100 * share.median:.0f} % of them; the others had {stood_still.text('{:.0f}')} ms of standstills in a run): "
                    f"{undisturbed_rate.text('{:.2f}')} Mbit/s: {verdict(undisturbed_rate.median < allowed_mbps)}"
                )
        return lines

    def _draw(self, results: Results, queue: int, file: Path) -> None:
        records = {scheme: results.typical("rtt_range_ms", scheme, queue_packets=queue) for scheme in SCHEMES}
        known = {PUBLISHED_NAMES[scheme]: record for scheme, record in records.items() if record}
        rtt = [Line(name, record.series["rtt_time_s"], record.series["rtt_ms"]) for name, record in known.items()]
        rate = [Line(name, record.series["throughput_time_s"], record.series["throughput_mbps"]) for name, record in known.items()]
        draw_panels(
            [Panel("RTT", "time, s", "RTT, ms", rtt, from_zero=False), Panel("throughput", "time, s", "throughput, Mbit/s", rate)], 2, file
        )
