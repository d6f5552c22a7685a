"""Swift: its arithmetic against the paper's, its delay alone and with others, and windows below one packet."""

from __future__ import annotations

import ctypes
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hosts.cca.simulation.frame import LOSS, Frame
from hosts.cca.simulation.network import Flow, Link, Simulation, jain
from hosts.cca.simulation.rounds import Rounds
from tests.hosts.c_arithmetic import Load
from tests.hosts.one_link import BASE_US, RATE_BPS, flows

HEADER = "swift_target.h"
ONE_PACKET = 1 << 16
WINDOWS = st.floats(0.1, 100_000)


def c_window(window: float) -> ctypes.c_uint64:
    return ctypes.c_uint64(round(window * ONE_PACKET))


@given(window=WINDOWS, range_us=st.integers(0, 10**6))
def test_scaling_is_the_papers(library: Load, window: float, range_us: int) -> None:
    exact = range_us * (1 / math.sqrt(window) - 0.1) / (1 / math.sqrt(0.1) - 0.1)
    got = library(HEADER).swift_scaling_us(c_window(window), range_us)
    assert got == pytest.approx(min(range_us, max(0.0, exact)), rel=0.01, abs=2 + range_us / 10_000)


@given(window=WINDOWS, acked=st.integers(1, 64))
def test_it_grows_by_one_packet_a_window(library: Load, window: float, acked: int) -> None:
    after = library(HEADER).swift_grown(c_window(window), acked) / ONE_PACKET
    exact = round(window * ONE_PACKET) / ONE_PACKET
    assert after - exact == pytest.approx(acked if exact < 1 else acked / exact, rel=1e-3, abs=1e-4)


@given(window=WINDOWS, delay_us=st.integers(1, 2**24), target_us=st.integers(1, 2**24))
def test_it_shrinks_by_the_excess_and_by_half_at_most(library: Load, window: float, delay_us: int, target_us: int) -> None:
    after = library(HEADER).swift_shrunk(c_window(window), delay_us, target_us, 819, 512) / ONE_PACKET
    kept = max(1 - 0.8 * max(0, delay_us - target_us) / delay_us, 0.5)
    assert after == pytest.approx(max(0.1, window * kept), rel=0.002, abs=1e-4)


def waits_ms(flow: Flow, from_s: float, until_s: float) -> float:
    """The queue's delay on average."""
    return statistics.fmean((sample.rtt_us - BASE_US) / 1000 for sample in flow.between(from_s, until_s))


@pytest.mark.parametrize("target_us", [2000, 20_000])
def test_alone_its_queue_waits_for_the_target(target_us: int) -> None:
    (flow,) = flows([f"swift(target_us={target_us},scaling_us=0)"], 10)
    assert waits_ms(flow, 5, 10) == pytest.approx(target_us / 1000, rel=0.15, abs=0.6), "the time of a packet, or less"
    assert flow.rate_bps(5, 10) > 0.99 * RATE_BPS * 1000 / 1066


def test_several_share_and_small_windows_queue_more() -> None:
    made = flows(["swift"] * 3, 15)
    assert jain([flow.rate_bps(5, 15) for flow in made]) > 0.95
    assert waits_ms(made[0], 5, 15) > waits_ms(flows(["swift(scaling_us=0)"] * 3, 15)[0], 5, 15)


def test_windows_may_be_smaller_than_a_packet() -> None:
    """60 connections over a path of 49 packets, without drops, since those below two packets are paced."""
    made = flows(["swift"] * 60, 12, queue_packets=200)
    rates = [flow.rate_bps(6, 12) for flow in made]
    assert sum(rates) > 0.8 * RATE_BPS * 1000 / 1066
    assert jain(rates) > 0.85


def settled() -> Rounds:
    """A window of 100 packets, past its start."""
    swift = Rounds("swift", 100)
    swift.rounds(2)
    swift.rounds(2, rtt_us=80_000)
    swift.connection.set_window(100)
    return swift


def test_it_shrinks_once_an_rtt() -> None:
    swift = settled()
    swift.round()
    before = swift.window
    after = swift.round(rtt_us=200_000)
    assert after == pytest.approx(before / 2, abs=1)


def test_a_loss_halves_and_a_timeout_begins_anew() -> None:
    swift = settled()
    swift.rounds(3)
    swift.connection.set_window(100)
    swift.lose_one()
    assert swift.window == pytest.approx(50, abs=2)
    swift.time_out()
    assert (swift.connection.state, swift.window) == (LOSS, 1)
    swift.acknowledge_all()
    assert max(swift.rounds(7)) > 40, "it finds its way back"


def test_the_window_does_not_grow_while_the_application_limits() -> None:
    windows = settled().rounds(50, packets=5)
    assert max(windows) == windows[1]


def test_after_silence_the_link_is_full_again() -> None:
    simulation = Simulation()
    flow = Flow(simulation, Link(simulation, rate_bps=4e6, queue_packets=60), Frame("swift"), delay_us=20_000, offered=1500)
    simulation.run(8)
    assert flow.acked_packets == 1500
    flow.offer(6000)
    simulation.run(16)
    assert flow.rate_bps(12, 16) == pytest.approx(4e6 * 1000 / 1066, rel=0.05)
