"""Negotiation under loss: Nodectl's messages alone get lost, and every transmission still gets its share."""

from __future__ import annotations

from pathlib import Path

from experiments.nodectl_paper.rate_steps import seconds_above, settled_s, total_rate
from experiments.nodectl_paper.setup import NODECTL, PAYLOAD_SHARE, dumbbell
from experiments.reproduction.cell import Cell, Measurement
from experiments.reproduction.document import Block, Table, Text
from experiments.reproduction.experiment import Effort, Experiment, NetworkSpec
from experiments.reproduction.measures import BITS_PER_BYTE
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.results import Results
from experiments.reproduction.transfers import Sending
from hosts.sender_negotiation import Timing

PAIRS = 4
RATE_MBPS = 36.0
GAP_S = 2.0
DURATION_S = 14.0
LAST_START_S = GAP_S * (PAIRS - 1)
MEASURED_FROM_S = LAST_START_S + Timing().tries * Timing().timeout_max_s
"""The last one has asked for the last time by then."""
LOSSES_PERCENT = (0.0, 5.0, 10.0)
QUICK_LOSSES_PERCENT = (0.0, 5.0)
BAR_LOSS_PERCENT = 5.0
TOLERANCE = 0.02
MBPS = 1e6
SEEDS_EACH = 2
"""Cells with other losses, for each repetition."""


class NegotiationLoss(Experiment):
    """Not a table of the paper."""

    name = "control_loss"
    title = "Negotiation under loss: Nodectl's messages alone get lost"
    source = "not in the paper"

    def cells(self, effort: Effort) -> list[Cell]:
        """Loss of the messages × seeds."""
        losses, seeds = (QUICK_LOSSES_PERCENT, 1) if effort.quick else (LOSSES_PERCENT, SEEDS_EACH)
        return [
            Cell(self.name, NODECTL, repetition, {"control_loss_percent": loss})
            for repetition in range(1, seeds * effort.repetitions + 1)
            for loss in losses
            if loss or repetition == 1
        ]

    def network(self, cell: Cell) -> NetworkSpec:  # noqa: ARG002 - one for all
        """Four pairs."""
        return dumbbell(RATE_MBPS, PAIRS)

    def duration_s(self, cell: Cell) -> float:  # noqa: ARG002
        """All alike."""
        return DURATION_S

    def measure(self, network: RunningNetwork, cell: Cell, folder: Path) -> Measurement:
        """Four transmissions, two seconds apart; every link loses messages, either way."""
        network.set_link("s1", "s2", delay_ms=10)
        neighbours = [("s1", "s2"), *((host, network.plan.attachment(host)[0].name) for host in network.plan.hosts)]
        for number, (here, there) in enumerate(neighbours):
            seed = 10_000 * cell.repetition + 10 * number
            network.set_link(here, there, seed=seed, control_loss_percent=cell["control_loss_percent"])
        sendings = [
            Sending(f"t{n}", f"h{n}", f"h{n + PAIRS}", NODECTL, start_s=GAP_S * (n - 1), sampled=False) for n in range(1, PAIRS + 1)
        ]
        run = network.transmit(sendings, folder, duration_s=DURATION_S)
        senders = list(run.outcomes.values())
        begin_s, end_s = run.start_s + MEASURED_FROM_S, run.start_s + DURATION_S
        share_bps = RATE_MBPS * MBPS / PAIRS
        got = [
            sender.received.increase(begin_s, end_s) * BITS_PER_BYTE / (end_s - begin_s) / PAYLOAD_SHARE / share_bps for sender in senders
        ]
        messages = [sender.summary["messages"] for sender in senders]
        return Measurement(
            verdict=run.verdict,
            values={
                "least_share_percent": 100 * min(got),
                "largest_share_percent": 100 * max(got),
                "settled_ms": _milliseconds(settled_s(senders, share_bps, TOLERANCE, run.start_s + LAST_START_S)),
                "above_capacity_s": seconds_above(total_rate(senders), RATE_MBPS * MBPS * (1 + TOLERANCE / 2)),
                "allocated": float(sum(sender.summary["negotiation"] == "allocated" for sender in senders)),
                "asked": float(sum(counted.get("requests", 0) for counted in messages)),
                "lost": float(run.loss_drops),
                "queue_drops": float(run.queue_drops),
            },
        )

    def report(self, results: Results) -> list[Block]:
        """Shares, how long it took, what was lost."""
        rows = []
        for loss in sorted(float(point) for point in results.points("control_loss_percent")):
            cells = [
                results.text(name, NODECTL, form, control_loss_percent=loss)
                for name, form in (
                    ("allocated", "{:.0f}"),
                    ("least_share_percent", "{:.1f}"),
                    ("largest_share_percent", "{:.1f}"),
                    ("settled_ms", "{:.0f}"),
                    ("above_capacity_s", "{:.2f}"),
                    ("asked", "{:.0f}"),
                    ("lost", "{:.0f}"),
                    ("queue_drops", "{:.0f}"),
                )
            ]
            rows.append([f"{loss:g} %", str(len(results.select(NODECTL, control_loss_percent=loss))), *cells])
        header = [
            "messages lost on each link", "runs", "got a rate, of 4", "least share, %", "largest share, %", "all settled after, ms",
            "above capacity, s", "requests", "messages lost", "packets dropped",
        ]  # fmt: skip
        return [
            Text(
                f"Four transmissions begin {GAP_S:g} s apart on a bottleneck of {RATE_MBPS:g} Mbit/s; RTT 40 ms. Every link (three on each "
                "way, in either direction) loses the given part of Nodectl's messages and nothing else, by chance, with another seed in "
                "every run. At 5 % a question or its answer gets lost with 26 % probability. The sender repeats a request after 3 RTT, "
                "then at twice the distance up to 0.4 s; the controller repeats reduces after 1 s. A share is the rate from "
                f"{MEASURED_FROM_S:g} s to the end over a quarter of the link."
            ),
            Table(
                "Median [lowest…highest]; settled: from the last one's start until all have their share within 2 %, for good; above "
                "capacity: how long the senders' rates add up to more than the link carries (a reduce that was lost).",
                header,
                rows,
            ),
            *self._verdict(results),
        ]

    def _verdict(self, results: Results) -> list[Block]:
        found = results.spread("least_share_percent", NODECTL, control_loss_percent=BAR_LOSS_PERCENT)
        if found is None:
            return []
        late = results.spread("settled_ms", NODECTL, control_loss_percent=BAR_LOSS_PERCENT)
        runs = len(results.select(NODECTL, control_loss_percent=BAR_LOSS_PERCENT))
        settled = late.count if late else 0
        return [
            Text(
                f"With {BAR_LOSS_PERCENT:g} % of the messages lost, all four have their share at the end of {settled} of {runs} runs; "
                f"the least share of any run is {found.lowest:.1f} %."
            )
        ]


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds
