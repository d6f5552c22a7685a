"""The purpose of each decision: the ablation's parking lot (reports/papers/nodectl/ablation_parking_lot.toml) with reference models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest

from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.installation import PROJECT
from common.units import BITS_PER_KILOBIT, US_PER_S
from common.units import KILOBITS_PER_MEGABIT as KBPS
from hosts.sender_negotiation import Timing
from protocol.variant import Decision, Variant
from scenario.file import read_scenario_file
from scenario.scenario import Scenario

PARKING_LOT = PROJECT / "reports" / "papers" / "nodectl" / "ablation_parking_lot.toml"
WIDE_MBPS, NARROW_MBPS = 40.0, 10.0
HOP_US = 2_000
STEP_US = 10_000
WAYS = {"b": [("s1", 1), ("s2", 2)], "d": [("s2", 2)]}
"""All others cross the wide link alone."""


@dataclass(frozen=True)
class Phase:
    """A part of the run, and the rate that *a* should have in it."""

    name: str
    from_s: float
    to_s: float
    a_mbps: float


PHASES = (
    Phase("b_narrow", 2.0, 3.9, 27.0),
    Phase("d_sends", 4.1, 6.9, 32.0),
    Phase("d_gone", 7.1, 8.9, 27.0),
    Phase("b_gone", 9.1, 10.0, 37.0),
    Phase("c_sends", 10.1, 14.5, 18.5),
    Phase("late", 16.5, 20.5, 18.5),
)


@cache
def parking_lot() -> Scenario:
    return read_scenario_file(PARKING_LOT).scenario({"without": ""})


def test_the_file_measures_the_same_phases_and_capacities() -> None:
    file = read_scenario_file(PARKING_LOT)
    phases = [(metric["from_s"], metric["to_s"]) for name, metric in file.report["metrics"].items() if name.startswith("a_mbps")]
    assert phases == [(phase.from_s, phase.to_s) for phase in PHASES]
    assert file.report["tables"][0]["given_rows"][0]["cells"][: len(PHASES)] == [f"{phase.a_mbps:.1f}" for phase in PHASES]
    assert [trunk.link.rate_mbps for trunk in parking_lot().topology.layout().trunks] == [WIDE_MBPS, NARROW_MBPS]


@dataclass
class Result:
    """Mean rate of *a* in each phase, and for how long the senders' rates were above the wide link's capacity."""

    a_mbps: dict[str, float]
    above_capacity_s: float
    above_capacity_late_s: float


def run(*without: str) -> Result:
    variant = Variant.lacking(*without)
    network = Network({"s1": {1: round(WIDE_MBPS * KBPS)}, "s2": {2: round(NARROW_MBPS * KBPS)}}, HOP_US, 1_000, variant=variant)
    senders = {}
    for number, sending in enumerate(parking_lot().transmissions, 1):
        max_kbps = parking_lot().max_rate_bps(sending) // BITS_PER_KILOBIT
        sender = Transmission(number, WAYS.get(sending.name, [("s1", 1)]), max_kbps, HOP_US)
        if Decision.REFRESHED not in variant:
            sender.sender.timing = Timing(refresh_interval_s=None)
        senders[sending.name] = sender
        network.after(round(sending.start_s * US_PER_S) + number, lambda sender=sender: network.start(sender))  # type: ignore[misc]
        if sending.stop_s is not None:
            network.after(round(sending.stop_s * US_PER_S), lambda sender=sender: network.stop(sender))  # type: ignore[misc]
    rates: dict[str, list[float]] = {phase.name: [] for phase in PHASES}
    above_s = late_s = 0.0
    for now_us in range(0, round(parking_lot().run.duration_s * US_PER_S), STEP_US):
        network.run(now_us)
        for phase in PHASES:
            if phase.from_s <= now_us / US_PER_S < phase.to_s:
                rates[phase.name].append(senders["a"].rate_kbps / KBPS)
        total_kbps = sum(sender.rate_kbps for sender in senders.values() if sender.crosses("s1", 1))
        if total_kbps > WIDE_MBPS * KBPS * 1.01:
            above_s += STEP_US / US_PER_S
            late_s += STEP_US / US_PER_S if now_us > 15 * US_PER_S else 0.0
    return Result({name: sum(values) / len(values) for name, values in rates.items()}, above_s, late_s)


@pytest.fixture(scope="module")
def complete() -> Result:
    return run()


def test_complete_everybody_has_a_fair_share_and_never_more_than_there_is(complete: Result) -> None:
    assert complete.a_mbps == {phase.name: pytest.approx(phase.a_mbps, rel=0.02) for phase in PHASES}
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
    letter = run(*Decision)
    assert max(letter.a_mbps.values()) < 10
