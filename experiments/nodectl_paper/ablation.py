"""What each decision changes that the paper leaves open or takes otherwise: Nodectl without it, measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.nodectl_paper.ablation_network import (
    BURST,
    BURST_MBPS,
    BURST_S,
    PARKING_S,
    PHASES,
    SMALL,
    WIDE_MBPS,
    burst,
    burst_transmissions,
    parking_lot,
    parking_transmissions,
)
from experiments.nodectl_paper.rate_steps import seconds_above, settled_s, total_rate
from experiments.nodectl_paper.setup import NODECTL, PAYLOAD_SHARE
from experiments.reproduction.cell import Cell, Measurement
from experiments.reproduction.document import Block, Table, Text
from experiments.reproduction.experiment import Effort, Experiment, NetworkSpec
from experiments.reproduction.measures import BITS_PER_BYTE
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.results import Results
from experiments.reproduction.transfers import TransferRun
from protocol.variant import Decision, Variant

PARKING, BURSTING = "parking lot", "burst"
EVERYTHING = "D1,D2,D3,D4,D5,D10,V_Q"
WITHOUT = {
    PARKING: ("", "D1", "D2", "D1,D2,D5", "D3", "D3,D4", "D5", "D10", EVERYTHING),
    BURSTING: ("", "V_Q", "D10", "D3", EVERYTHING),
}
QUICK_WITHOUT = {PARKING: ("", EVERYTHING), BURSTING: ("", "V_Q")}
MEANING = {
    "": "complete",
    "D1": "D1: a success does not lower the record",
    "D2": "D2: a reduce passing by does not lower the record",
    "D1,D2,D5": "D1, D2 and D5: nor does a refresh",
    "D3": "D3: freed capacity waits for the next request",
    "D3,D4": "D3 and D4: and nobody is reduced in the third case",
    "D5": "D5: no refreshes, and no other keep-alive",
    "D10": "D10: the record reserves B_c until the success",
    "V_Q": "V_Q: no arrivals expected (Q_T = 1)",
    EVERYTHING: "all of these: the paper's letter",
}
COUNTED = ("requests", "refreshes", "successes", "failures", "reduces", "increases")
MBPS = 1e6
TOLERANCE = 0.01
"""What rounding may do to a sum or a share."""


class Ablation(Experiment):
    """Not a table of the paper."""

    name = "ablation"
    title = "What the paper leaves open: each decision left out in turn"
    source = "not in the paper; the decisions are those of docs/protocol.md"

    def cells(self, effort: Effort) -> list[Cell]:
        """Both situations, each variant."""
        chosen = QUICK_WITHOUT if effort.quick else WITHOUT
        return [
            Cell(self.name, NODECTL, repetition, {"situation": situation, "without": without})
            for repetition in range(1, effort.repetitions + 1)
            for situation, variants in chosen.items()
            for without in variants
        ]

    def network(self, cell: Cell) -> NetworkSpec:
        """One a situation and variant: program and controller differ."""
        build = parking_lot if cell["situation"] == PARKING else burst
        variant = variant_of(cell)
        key = f"{cell['situation']} {variant.name}".replace(" ", "-")
        return NetworkSpec(key=key, build=build, schemes=(NODECTL,), options={"variant": variant})

    def duration_s(self, cell: Cell) -> float:
        """By situation."""
        return PARKING_S if cell["situation"] == PARKING else BURST_S

    def measure(self, network: RunningNetwork, cell: Cell, folder: Path) -> Measurement:
        """All transmissions of the situation."""
        refreshes = Decision.D5 in variant_of(cell)
        if cell["situation"] == PARKING:
            run = network.transmit(parking_transmissions(refreshes=refreshes), folder, duration_s=PARKING_S)
            values = _parking_values(run)
        else:
            run = network.transmit(burst_transmissions(refreshes=refreshes), folder, duration_s=BURST_S)
            values = _burst_values(run)
        messages = [outcome.summary["messages"] for outcome in run.outcomes.values()]
        values["messages"] = sum(counted.get(kind, 0) for counted in messages for kind in COUNTED)
        values["queue_drops"] = run.queue_drops
        return Measurement(verdict=run.verdict, values=values)

    def report(self, results: Results) -> list[Block]:
        """What happens in either situation, and the tables."""
        return [
            Text(
                "Where the paper leaves something open, or where following it to the letter would go wrong, a decision was taken "
                "(docs/protocol.md says which and why). Here each is left out in turn, the rest unchanged, in two situations that show "
                "what it is for: P4 program, controller and sender each have a switch for it, and so has the reference model that the "
                "tests hold them to."
            ),
            Text(
                "**Parking lot.** *a* shares a link of 40 Mbit/s with three small transmissions (1 Mbit/s each) and with *b*, which a "
                "later link holds to 10 Mbit/s; from 4 to 7 s *d* takes half of that from *b*; at 9 s *b* ends; at 10 s *c* comes. The "
                "rate of *a* in each phase shows who gets what others leave. After 15 s a record that nobody refreshed is gone."
            ),
            self._parking_table(results),
            Text(
                f"**Burst.** {BURST} transmissions begin within an RTT of 200 ms on a link of {BURST_MBPS:g} Mbit/s. Those that come "
                "first have their share before the switch knows of the others."
            ),
            self._burst_table(results),
            Text(
                "How to read them: what is left out shows as a rate of *a* below its share (capacity is stuck), or as seconds above the "
                "capacity and dropped packets (more is given out than there is). A refresh mends within 5 s what D1 would have done at "
                "once, and within an RTT what D2 would have done; so D1 and D2 are shown without D5 too. D4 matters only while there is "
                "both free capacity and a large record, which D3 does not let happen for long; so it is shown without D3. Without D5, "
                "records of transmissions that still send time out, and their capacity is given out a second time."
            ),
        ]

    def _parking_table(self, results: Results) -> Table:
        rows = []
        for without in WITHOUT[PARKING]:
            point = {"situation": PARKING, "without": without}
            if results.select(**point):
                phases = [results.text(f"a_mbps_{phase.name}", NODECTL, **point) for phase in PHASES]
                rows.append([MEANING[without], *phases, *_common(results, point)])
        expected = ["a max-min fair allocation", *(f"{phase.a_mbps:.1f}" for phase in PHASES), "0", "0", ""]
        header = ["left out", *(f"{phase.from_s:g}–{phase.to_s:g} s" for phase in PHASES), "above capacity, s", "dropped", "messages"]
        caption = (
            "Parking lot: rate of *a* in Mbit/s of the frame, by phase; for how long the senders' rates add up to more than the wide link "
            "carries; packets dropped by queues; messages that the senders sent and got."
        )
        return Table(caption, header, [expected, *rows])

    def _burst_table(self, results: Results) -> Table:
        rows = []
        for without in WITHOUT[BURSTING]:
            point = {"situation": BURSTING, "without": without}
            if results.select(**point):
                values = [results.text(name, NODECTL, "{:.2f}", **point) for name in ("first_mbps", "last_mbps", "settled_s")]
                rows.append([MEANING[without], *values, *_common(results, point)])
        header = [
            "left out", "the first one gets, Mbit/s", "the last one gets, Mbit/s", "all within 2 % of their share after, s",
            "above capacity, s", "dropped", "messages",
        ]  # fmt: skip
        return Table("Burst: first rates of the first and the last one, and what becomes of them.", header, rows)


def variant_of(cell: Cell) -> Variant:
    """What is left out in a cell."""
    return Variant.lacking(*(name for name in str(cell["without"]).split(",") if name))


def _common(results: Results, point: dict[str, str]) -> Sequence[str]:
    return [
        results.text("above_capacity_s", NODECTL, "{:.2f}", **point),
        results.text("queue_drops", NODECTL, "{:.0f}", **point),
        results.text("messages", NODECTL, "{:.0f}", **point),
    ]


def _parking_values(run: TransferRun) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    for phase in PHASES:
        payload = run["a"].received.increase(run.start_s + phase.from_s, run.start_s + phase.to_s)
        values[f"a_mbps_{phase.name}"] = payload * BITS_PER_BYTE / PAYLOAD_SHARE / (phase.to_s - phase.from_s) / MBPS
    wide = [run[name] for name in ("a", "b", "c", *SMALL)]
    values["above_capacity_s"] = seconds_above(total_rate(wide), WIDE_MBPS * MBPS * (1 + TOLERANCE))
    return values


def _burst_values(run: TransferRun) -> dict[str, float | None]:
    senders = list(run.outcomes.values())
    first = [outcome.summary["rates"][0][1] / MBPS if outcome.summary["rates"] else None for outcome in senders]
    return {
        "first_mbps": first[0],
        "last_mbps": first[-1],
        "settled_s": settled_s(senders, BURST_MBPS * MBPS / BURST, 0.02, run.start_s),
        "above_capacity_s": seconds_above(total_rate(senders), BURST_MBPS * MBPS * (1 + TOLERANCE)),
    }
