"""What each decision is for: the ablation's parking lot (experiments/papers/nodectl/ablation_parking_lot.toml) with reference models."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from experiments.report.paper import read_paper
from experiments.run.experiment import Experiment
from hosts.sender_negotiation import Timing
from protocol.units import US_PER_S
from protocol.variant import Decision, Variant
from tests.protocol.network_simulation import Network, Transmission

KBPS = 1000
HOP_US = 2_000
STEP_US = 10_000
WAYS = {"b": [("s1", 1), ("s2", 2)], "d": [("s2", 2)]}
"""All others cross the wide link alone."""

PARKING_LOT = Experiment.read(read_paper("nodectl").folder / "ablation_parking_lot.toml")
SCENARIO = PARKING_LOT.scenarios[0][1]
WIDE_KBPS, NARROW_KBPS = (round(trunk.link.rate_mbps * KBPS) for trunk in SCENARIO.topology.layout().trunks)
PHASES = {
    name: (one["from_s"], one["to_s"], float(cell))
    for name, (one, cell) in zip(
        ("b_narrow", "d_sends", "d_gone", "b_gone", "c_sends", "late"),
        zip(
            (one for one in PARKING_LOT.definition.metrics.values() if one["metric"] == "mean_mbps"),
            PARKING_LOT.definition.tables[0].given_rows[0].cells,
            strict=False,
        ),
        strict=True,
    )
}
"""From when to when, and the rate of *a* in Mbit/s that is fair."""


@dataclass
class Result:
    """Mean rate of *a* in each phase, and for how long the senders' rates were above the wide link's capacity."""

    a_mbps: dict[str, float]
    above_capacity_s: float
    above_capacity_late_s: float


def run(*without: str) -> Result:
    variant = Variant.lacking(*without)
    network = Network({"s1": {1: WIDE_KBPS}, "s2": {2: NARROW_KBPS}}, HOP_US, 1_000, variant=variant)
    senders = {}
    for number, sending in enumerate(SCENARIO.transmissions, 1):
        sender = Transmission(number, WAYS.get(sending.name, [("s1", 1)]), SCENARIO.max_rate_bps(sending) // KBPS, HOP_US)
        if Decision.D5 not in variant:
            sender.sender.timing = Timing(refresh_interval_s=None)
        senders[sending.name] = sender
        network.after(round(sending.start_s * US_PER_S) + number, lambda sender=sender: network.start(sender))  # type: ignore[misc]
        if sending.stop_s is not None:
            network.after(round(sending.stop_s * US_PER_S), lambda sender=sender: network.stop(sender))  # type: ignore[misc]
    rates: dict[str, list[float]] = {name: [] for name in PHASES}
    above_s = late_s = 0.0
    for now_us in range(0, round(SCENARIO.run.duration_s * US_PER_S), STEP_US):
        network.run(now_us)
        for name, (from_s, to_s, _) in PHASES.items():
            if from_s <= now_us / US_PER_S < to_s:
                rates[name].append(senders["a"].rate_kbps / KBPS)
        total_kbps = sum(sender.rate_kbps for sender in senders.values() if sender.crosses("s1", 1))
        if total_kbps > WIDE_KBPS * 1.01:
            above_s += STEP_US / US_PER_S
            late_s += STEP_US / US_PER_S if now_us > 15 * US_PER_S else 0.0
    return Result({name: sum(values) / len(values) for name, values in rates.items()}, above_s, late_s)


@pytest.fixture(scope="module")
def complete() -> Result:
    return run()


def test_complete_everybody_has_a_fair_share_and_never_more_than_there_is(complete: Result) -> None:
    assert complete.a_mbps == {name: pytest.approx(fair_mbps, rel=0.02) for name, (_, _, fair_mbps) in PHASES.items()}
    assert complete.above_capacity_s == 0.0


def test_without_d1_what_b_cannot_use_is_stuck_until_it_refreshes() -> None:
    assert run("D1").a_mbps["b_narrow"] < 20
    assert run("D1").a_mbps["d_sends"] == pytest.approx(32, rel=0.02)
    assert run("D1", "D5").a_mbps["b_narrow"] < 20


def test_without_d2_a_refresh_mends_it_within_a_round_trip() -> None:
    assert run("D2").a_mbps["d_sends"] == pytest.approx(32, rel=0.02)
    assert run("D2", "D5").a_mbps["d_sends"] < 28


def test_without_d3_nobody_gets_what_has_become_free() -> None:
    without = run("D3")
    assert without.a_mbps["b_gone"] < 28
    assert without.a_mbps["c_sends"] == pytest.approx(18.5, rel=0.02)
    assert without.above_capacity_s == 0.0


def test_without_d4_too_much_is_given_out_and_stays_so() -> None:
    assert run("D3", "D4").above_capacity_s > 10


def test_without_d5_records_of_those_who_still_send_time_out(complete: Result) -> None:
    without = run("D5")
    assert without.above_capacity_late_s > 5
    assert without.above_capacity_s == without.above_capacity_late_s
    assert without.a_mbps["late"] > complete.a_mbps["late"] * 1.05


def test_the_paper_s_letter_leaves_capacity_unused() -> None:
    letter = run(*(decision for decision in Decision if decision is not Decision.V_Q))
    assert max(letter.a_mbps.values()) < 10
