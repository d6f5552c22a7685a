"""Copa: its arithmetic against the paper's in fractions, its queue alone and with others, and its modes."""

from __future__ import annotations

import ctypes
import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hosts.cca.simulation.frame import LOSS, Frame
from hosts.cca.simulation.network import Flow, Link, Simulation, jain
from hosts.cca.simulation.rounds import Rounds
from tests.hosts.c_arithmetic import Load
from tests.hosts.one_link import BASE_US, FRAME_BITS, RATE_BPS, flows

HEADER = "copa_target.h"
ONE_PACKET = 1 << 16

RTTS_US = st.integers(1, 2**24)


@given(window=st.integers(2, 2**20), standing_us=RTTS_US, least_us=RTTS_US, inverse=st.integers(102, 2**20))
def test_the_target_is_the_papers(library: Load, window: int, standing_us: int, least_us: int, inverse: int) -> None:
    queue_s = Fraction(standing_us - least_us, 10**6)
    is_below = queue_s <= 0 or Fraction(window * 10**6, standing_us) <= Fraction(inverse, 1024) / queue_s
    assert bool(library(HEADER).copa_is_below_target(window, standing_us, least_us, inverse) & 1) == is_below


@given(window=st.integers(2, 2**20), velocity=st.integers(1, 256), inverse=st.integers(102, 2**14), acked=st.integers(1, 64))
def test_steps_are_velocity_over_delta_a_window(library: Load, window: int, velocity: int, inverse: int, acked: int) -> None:
    c = library(HEADER)
    step = c.copa_step(velocity, inverse)
    assert step == velocity * inverse * 64
    exact = Fraction(velocity * inverse * acked, 1024 * window)

    def moved(is_growing: bool) -> float:
        after: int = c.copa_next_window(ctypes.c_uint64(window << 16), ctypes.c_uint64(step), acked, is_growing)
        return after / ONE_PACKET - window

    assert moved(True) == pytest.approx(min(float(exact), acked), abs=1e-4)
    assert moved(False) == pytest.approx(max(-float(exact), 2 - window), abs=1e-4)


def test_the_velocity_doubles_after_three_rounds_and_ends_with_a_turn(library: Load) -> None:
    velocity, seen = 1, []
    for rounds in (0, 1, 2, 3, 4, 5, 0, 1):
        velocity = library(HEADER).copa_velocity(velocity, rounds)
        seen.append(velocity)
    assert seen == [1, 1, 1, 2, 4, 8, 1, 1]


class OfLate(ctypes.Structure):
    """``struct of_late``."""

    _fields_ = (("present", ctypes.c_uint32), ("before", ctypes.c_uint32), ("since_us", ctypes.c_uint32))


@given(values=st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 10**6)), min_size=1, max_size=40))
def test_extremes_are_of_one_span_at_least_and_of_two_at_most(library: Load, values: list[tuple[int, int]]) -> None:
    span_us, now_us = 1000, 5_000_000
    least, most, seen = OfLate(since_us=now_us), OfLate(since_us=now_us), []
    for passed_us, value in values:
        now_us += passed_us
        seen.append((now_us, value))
        of_one = [one for at, one in seen if at > now_us - span_us]
        of_two = [one for at, one in seen if at >= now_us - 2 * span_us]
        low = library("least_of_late.h").least_of_late(ctypes.byref(least), value, now_us, span_us)
        high = library("least_of_late.h").most_of_late(ctypes.byref(most), value, now_us, span_us)
        assert min(of_two) <= low <= min(of_one)
        assert max(of_one) <= high <= max(of_two)


def queued(flow: Flow, from_s: float, until_s: float) -> float:
    """Packets in the queue, on average."""
    return statistics.fmean((sample.rtt_us - BASE_US) * RATE_BPS / 1e6 / FRAME_BITS for sample in flow.between(from_s, until_s))


@pytest.mark.parametrize("delta", [0.5, 0.1])
def test_alone_it_keeps_one_and_a_quarter_over_delta_packets_in_the_queue(delta: float) -> None:
    """The mean of the paper's section 3; between no queue and 2.5 / delta."""
    (flow,) = flows([f"copa(delta={delta})"], 10)
    assert queued(flow, 5, 10) == pytest.approx(1.25 / delta, rel=0.25)
    assert flow.rate_bps(5, 10) > 0.99 * RATE_BPS * 1000 / 1066


def test_several_share_and_stay_in_the_default_mode() -> None:
    made = flows(["copa"] * 3, 20)
    assert jain([flow.rate_bps(8, 20) for flow in made]) > 0.995
    assert queued(made[0], 8, 20) == pytest.approx(3 * 1.25 / 0.5, rel=0.25)


@pytest.mark.parametrize(("modes", "least", "most"), [("switching", 0.4, 0.75), ("default", 0.0, 0.1)])
def test_beside_standard_tcp_it_competes_if_it_may(modes: str, least: float, most: float) -> None:
    copa, reno = (flow.rate_bps(10, 40) for flow in flows([f"copa(modes={modes})", "reno"], 40, queue_packets=100))
    assert least < copa / (copa + reno) < most


def settled() -> Rounds:
    """A window of 100 packets that has seen a queue, which ends the start, and then none."""
    copa = Rounds("copa", 100)
    copa.rounds(2)
    copa.rounds(3, rtt_us=80_000)
    copa.connection.set_window(100)
    return copa


def test_a_loss_changes_nothing_in_the_default_mode() -> None:
    copa = settled()
    copa.lose_one()
    assert copa.window == pytest.approx(100, abs=10)


def test_a_timeout_begins_anew_from_one_packet() -> None:
    copa = settled()
    copa.time_out()
    assert copa.connection.state == LOSS
    assert copa.window == 1
    copa.acknowledge_all()
    assert max(copa.rounds(7)) > 40, "it finds its way back"


def test_the_window_does_not_grow_while_the_application_limits() -> None:
    windows = settled().rounds(50, packets=5)
    assert max(windows) == windows[1]


def test_it_paces_at_two_windows_an_rtt() -> None:
    copa = settled()
    copa.rounds(2, rtt_us=50_000)
    assert copa.connection.pacing_bytes_per_s == pytest.approx(2 * copa.window * 1000 / 0.05, rel=0.02)


def test_after_silence_the_link_is_full_again() -> None:
    simulation = Simulation()
    flow = Flow(simulation, Link(simulation, rate_bps=4e6, queue_packets=60), Frame("copa"), delay_us=20_000, offered=1500)
    simulation.run(8)
    assert flow.acked_packets == 1500
    flow.offer(6000)
    simulation.run(16)
    assert flow.rate_bps(12, 16) == pytest.approx(4e6 * 1000 / 1066, rel=0.05)
