"""Several connections over one link, in simulated time: the part that each gets, as the papers have it."""

from __future__ import annotations

import random
import statistics

import pytest

from hosts.cca.simulation.frame import Frame
from hosts.cca.simulation.network import Flow, Link, Simulation, jain

FLOWS = 5
QTCOL_RATE_BPS, QTCOL_DELAY_US = 10e6, 50_000
QTCOL_QUEUE_PACKETS = 432
"""Five times the path's 86 packets, as in the paper."""


def jain_of_five(name: str, apart_us: int, until_s: float) -> float:
    """Jain's index over the second half of a run of five connections that begin one after the other."""
    simulation = Simulation()
    link = Link(simulation, QTCOL_RATE_BPS, QTCOL_QUEUE_PACKETS)
    frame = Frame(name)
    flows = [Flow(simulation, link, frame, QTCOL_DELAY_US, mss_bytes=1448, start_us=number * apart_us) for number in range(FLOWS)]
    simulation.run(until_s)
    return jain([flow.rate_bps(until_s / 2, until_s) for flow in flows])


def test_qtcol_gives_one_of_five_nearly_everything_if_they_begin_one_after_the_other() -> None:
    """Each takes the others' queue for the path: the one with the largest smallest RTT aims highest (the paper's figure 23)."""
    assert jain_of_five("qtcol(alpha=1.5)", 100_000, 30) < 0.5


def test_qtcol_shares_if_it_looks_at_the_last_rtt() -> None:
    """This is the last RTT of the paper's text. The authors' ns-3 code smooths it, and the monopoly comes from that."""
    assert jain_of_five("qtcol(alpha=1.5,rtt=last)", 100_000, 30) > 0.9


def test_qtcol_shares_if_all_see_the_empty_path() -> None:
    """The contrast: beginning together, all know the same smallest RTT, and there is no monopoly."""
    assert jain_of_five("qtcol(alpha=1.5)", 0, 30) > 0.7


def test_qtcolfair_shares_all_the_same() -> None:
    """Four probes of each have shown it the path without the others' queue."""
    assert jain_of_five("qtcolfair(alpha=1.5)", 100_000, 45) > 0.7


def near_and_far_bps(name: str, from_s: float, until_s: float) -> tuple[float, float]:
    """Rates of two connections with RTTs of 40 and 160 ms over 4 Mbit/s."""
    simulation = Simulation()
    link = Link(simulation, 4e6, 40, random_drop=random.Random(1))
    frame = Frame(name)
    near, far = (Flow(simulation, link, frame, delay_us) for delay_us in (20_000, 80_000))
    simulation.run(until_s)
    return near.rate_bps(from_s, until_s), far.rate_bps(from_s, until_s)


def test_libra_comes_to_equal_rates_with_the_papers_k1() -> None:
    """k1 = 2. The near one begins with nine tenths of the link; after 100 s both have half."""
    near, far = near_and_far_bps("libra", 100, 150)
    assert near / far == pytest.approx(1, abs=0.35)


def test_libra_gets_there_sooner_with_a_larger_k1() -> None:
    near, far = near_and_far_bps("libra(k1=40)", 12, 60)
    assert near / far == pytest.approx(1, abs=0.35)


def test_standard_tcp_gives_the_near_one_twice_as_much() -> None:
    near, far = near_and_far_bps("reno", 20, 100)
    assert near / far > 1.6


def one_flow(name: str, until_s: float, longer_at_s: float | None = None) -> Flow:
    """A connection alone on 4 Mbit/s and 40 ms, which become 160 ms at a time."""
    simulation = Simulation()
    flow = Flow(simulation, Link(simulation, 4e6), Frame(name), 20_000)

    def lengthen() -> None:
        flow.delay_us = 80_000

    if longer_at_s is not None:
        simulation.at(round(longer_at_s * 1e6), lengthen)
    simulation.run(until_s)
    return flow


@pytest.mark.parametrize("alpha", [1.2, 1.5, 2.0])
@pytest.mark.parametrize("rtt", ["smoothed", "last"])
@pytest.mark.parametrize("name", ["qtcol", "qtcolfair"])
def test_qtcol_steers_the_rtt_to_alpha_times_the_smallest(name: str, alpha: float, rtt: str) -> None:
    """One packet is 0.05 of the smallest RTT here; the paper rounds up twice and never leaves the window as it is."""
    flow = one_flow(f"{name}(alpha={alpha},rtt={rtt})", 6)
    rtts = [sample.rtt_us for sample in flow.between(3, 6)]
    assert statistics.median(rtts) / 42_132 == pytest.approx(alpha, abs=0.15)


def test_qtcolfair_probes_for_200_ms_and_comes_back() -> None:
    flow = one_flow("qtcolfair(probe_interval=3)", 5)
    probing = [sample.time_s for sample in flow.between(1, 5) if sample.window == 4]
    assert probing[0] == pytest.approx(3.0, abs=0.1)
    assert probing[-1] - probing[0] == pytest.approx(0.2, abs=0.1)
    before = statistics.median(sample.window for sample in flow.between(2, 3))
    after = next(sample.window for sample in flow.between(probing[-1], 5) if sample.window > 4)
    assert after == pytest.approx(0.9 * before, abs=3), "9/10 of the window from before"
    assert statistics.median(sample.window for sample in flow.between(4, 5)) == pytest.approx(before, rel=0.15)


@pytest.mark.parametrize(("name", "notices"), [("qtcolfair", True), ("qtcolfair(rtt=last)", True), ("qtcol", False)])
def test_qtcolfair_notices_a_longer_path_before_its_first_probe(name: str, notices: bool) -> None:
    """4 Mbit/s over 160 ms hold 75 packets. The first probe would be at 10 s."""
    flow = one_flow(name, 8, longer_at_s=3)
    under_way = flow.rate_bps(7, 8) * 0.16 / 8000
    assert under_way > 0.85 * 75 if notices else under_way < 0.5 * 75
