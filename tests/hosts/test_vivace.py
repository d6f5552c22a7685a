"""PCC Vivace: its utility against the paper's, its steps, and transfers alone, with losses and with others."""

from __future__ import annotations

import ctypes
import math
import random
import statistics
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hosts.cca.simulation.frame import LOSS, Frame
from hosts.cca.simulation.network import UNLIMITED, Flow, Link, Simulation, jain
from tests.hosts.c_arithmetic import Load
from tests.hosts.one_link import BASE_US, FRAME_BITS, RATE_BPS, flows

HEADER = "vivace_utility.h"
ONE = 1 << 16
PAYLOAD_BPS = RATE_BPS * 8000 / FRAME_BITS
RATES_MBPS = st.floats(0.1, 200_000)
FILTER = 655


class Slope(ctypes.Structure):
    """``struct slope``."""

    _fields_ = (
        ("time_squared", ctypes.c_uint64),
        ("time_rtt", ctypes.c_int64),
        ("rtt", ctypes.c_int64),
        ("first_us", ctypes.c_uint32),
        ("time", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
    )


def fixed(value: float) -> ctypes.c_uint64:
    return ctypes.c_uint64(round(value * ONE))


def utility(library: Load, rate_mbps: float, rise: float, lost: float, b: float = 900, c: float = 11.35) -> float:
    function = library(HEADER).vivace_utility
    function.restype = ctypes.c_int64
    found: int = function(fixed(rate_mbps), round(rise * ONE), round(lost * ONE), round(b * 1000), round(c * 1000))
    return found / ONE


@given(x=st.integers(1, 2**40))
def test_logarithms(library: Load, x: int) -> None:
    assert library(HEADER).vivace_log2(ctypes.c_uint64(x)) / ONE == pytest.approx(math.log2(x), abs=2e-4)


@given(rate_mbps=RATES_MBPS)
def test_the_utility_of_a_rate(library: Load, rate_mbps: float) -> None:
    assert utility(library, rate_mbps, 0, 0) == pytest.approx(rate_mbps**0.9, rel=6e-4, abs=1e-4)


@given(rate_mbps=st.floats(1, 100_000), rise=st.floats(0, 4), lost=st.floats(0, 1))
def test_what_delay_and_losses_cost(library: Load, rate_mbps: float, rise: float, lost: float) -> None:
    cost = utility(library, rate_mbps, 0, 0) - utility(library, rate_mbps, rise, lost)
    assert cost == pytest.approx(900 * rate_mbps * rise + 11.35 * rate_mbps * lost, rel=1e-3, abs=0.02 * rate_mbps)


@given(rate_mbps=st.floats(1, 100_000), step=st.floats(0.02, 0.5))
def test_a_higher_rate_is_better_while_nothing_is_lost(library: Load, rate_mbps: float, step: float) -> None:
    assert utility(library, rate_mbps * (1 + step), 0, 0) > utility(library, rate_mbps, 0, 0)


@given(
    samples=st.lists(st.tuples(st.integers(0, 50_000), st.integers(30_000, 90_000)), min_size=3, max_size=60),
    unit_us=st.integers(30_000, 200_000),
)
def test_the_rise_is_a_linear_regressions(library: Load, samples: list[tuple[int, int]], unit_us: int) -> None:
    assume(max(at for at, _ in samples) - min(at for at, _ in samples) > 2000)
    slope = Slope()
    for passed_us, rtt_us in samples:
        library(HEADER).slope_note(ctypes.byref(slope), passed_us, rtt_us, unit_us)
    exact = statistics.linear_regression([at for at, _ in samples], [rtt for _, rtt in samples]).slope
    found = library(HEADER).slope_rise(ctypes.byref(slope), unit_us, 0) / ONE
    assert found == pytest.approx(min(4.0, max(0.0, exact)), rel=0.05, abs=0.02)
    if exact < 0.005:
        assert library(HEADER).slope_rise(ctypes.byref(slope), unit_us, FILTER) == 0, "too little, or falling"


def test_few_rtts_show_no_rise(library: Load) -> None:
    slope = Slope()
    for at in range(2):
        library(HEADER).slope_note(ctypes.byref(slope), 10_000 * at, 40_000 + 9000 * at, 40_000)
    assert library(HEADER).slope_rise(ctypes.byref(slope), 40_000, 0) == 0


def test_confidence_grows_with_decisions(library: Load) -> None:
    assert [library(HEADER).vivace_amplifier(count) for count in (1, 2, 3, 4, 5, 6, 100)] == [1, 2, 3, 5, 7, 9, 63]


@given(difference=st.floats(0, 1000), rate_mbps=st.floats(1, 10_000), amplifier=st.integers(1, 63))
def test_steps_follow_the_slope(library: Load, difference: float, rate_mbps: float, amplifier: int) -> None:
    function = library(HEADER).vivace_step
    function.restype = ctypes.c_uint64
    step = function(fixed(difference), fixed(rate_mbps), 50, 1000, amplifier) / ONE
    assert step == pytest.approx(amplifier * difference / (2 * 0.05 * rate_mbps), rel=2e-3, abs=1e-3)


@given(rate_mbps=RATES_MBPS, steps=st.integers(0, 16))
def test_their_boundary_grows(library: Load, rate_mbps: float, steps: int) -> None:
    function = library(HEADER).vivace_boundary
    function.restype = ctypes.c_uint64
    assert function(fixed(rate_mbps), 50, 100, steps) / ONE == pytest.approx(rate_mbps * (0.05 + 0.1 * steps), rel=1e-3, abs=1e-4)


def watched(until_s: float) -> tuple[Flow, list[float]]:
    """One connection over 20 Mbit/s with an RTT of 40 ms, and the rates that it paced at, in Mbit/s."""
    simulation = Simulation()
    flow = Flow(simulation, Link(simulation, 20e6), Frame("vivace"), 20_000, mss_bytes=1000)
    rates: list[float] = []

    def look() -> None:
        rate = flow.connection.pacing_bytes_per_s * 8 / 1e6
        if not rates or abs(rate - rates[-1]) > 1e-3:
            rates.append(rate)
        simulation.at(simulation.now_us + 2000, look)

    simulation.at(10, look)
    simulation.run(until_s)
    return flow, rates


def test_its_start_doubles_until_the_utility_falls_and_goes_back() -> None:
    _, rates = watched(1)
    assert rates[:6] == [pytest.approx(2 * 2**number, rel=0.01) for number in range(6)]
    assert rates[6] in (pytest.approx(16 * 1.05, rel=0.01), pytest.approx(16 * 0.95, rel=0.01))


def test_it_tries_a_twentieth_more_and_less() -> None:
    _, rates = watched(6)
    tried = [later / earlier for earlier, later in pairwise(rates[8:])]
    assert sum(change in (pytest.approx(1.05 / 0.95, rel=1e-3), pytest.approx(0.95 / 1.05, rel=1e-3)) for change in tried) > 20
    assert any(one == pytest.approx(1.05 / 0.95, rel=1e-3) for one in tried), "either may be first"


@pytest.mark.parametrize("queue_packets", [12, 1000])
def test_alone_it_fills_the_link_and_not_the_queue(queue_packets: int) -> None:
    (flow,) = flows(["vivace"], 10, queue_packets=queue_packets)
    assert flow.rate_bps(4, 10) > 0.93 * PAYLOAD_BPS
    assert statistics.fmean(sample.rtt_us for sample in flow.between(4, 10)) < BASE_US + 10_000


def test_losses_by_chance_cost_little() -> None:
    def rate_bps(name: str, lost: float) -> float:
        simulation, chance = Simulation(), random.Random(1)
        flow = Flow(simulation, Link(simulation, RATE_BPS, loses=lambda: chance.random() < lost), Frame(name), 20_000, mss_bytes=1000)
        simulation.run(20)
        return flow.rate_bps(5, 20)

    assert rate_bps("vivace", 0.02) > 0.8 * PAYLOAD_BPS > 3 * rate_bps("reno", 0.02)


def test_several_share() -> None:
    made = flows(["vivace"] * 3, 20, queue_packets=50)
    assert jain([flow.rate_bps(8, 20) for flow in made]) > 0.95
    assert sum(flow.rate_bps(8, 20) for flow in made) > 0.95 * PAYLOAD_BPS


def test_a_timeout_halves_the_rate_and_it_starts_anew() -> None:
    simulation, is_out = Simulation(), [False]
    flow = Flow(simulation, Link(simulation, RATE_BPS, loses=lambda: is_out[0]), Frame("vivace"), 20_000, mss_bytes=1000)
    simulation.at(5_000_000, lambda: is_out.__setitem__(0, True))
    simulation.run(5)
    before = flow.connection.pacing_bytes_per_s
    simulation.run(5.5)
    assert flow.connection.state == LOSS
    is_out[0] = False
    rates = []
    for at in range(551, 600):
        simulation.run(at / 100)
        rates.append(flow.connection.pacing_bytes_per_s)
    assert min(rates) < 0.55 * before
    assert max(rates[rates.index(min(rates)) :]) > 2 * min(rates)
    simulation.run(10)
    assert flow.rate_bps(7, 10) > 0.9 * PAYLOAD_BPS


def test_an_application_that_limits_decides_nothing() -> None:
    simulation = Simulation()
    flow = Flow(simulation, Link(simulation, RATE_BPS), Frame("vivace"), 20_000, mss_bytes=1000, offered=4000)
    for step in range(60):
        simulation.at(5_000_000 + 100_000 * step, lambda: flow.offer(10))
    simulation.run(6)
    rates = [flow.connection.pacing_bytes_per_s]
    for at in range(61, 110):
        simulation.run(at / 10)
        rates.append(flow.connection.pacing_bytes_per_s)
    assert max(rates) < 1.2 * min(rates), "it tries, and changes nothing"
    flow.offer(UNLIMITED)
    simulation.run(14)
    assert flow.rate_bps(12, 14) > 0.9 * PAYLOAD_BPS
