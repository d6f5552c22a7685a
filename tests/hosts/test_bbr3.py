"""BBRv3: arithmetic, phases as the draft has them, effects of losses, and shares beside standard TCP."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hosts.cca.simulation.frame import Frame
from hosts.cca.simulation.network import UNLIMITED, Flow, Link, Simulation, jain
from tests.hosts.c_arithmetic import Load
from tests.hosts.one_link import FRAME_BITS, RATE_BPS, flows

HEADER = "bbr3_model.h"
MSS_BYTES = 1000
PAYLOAD_BPS = RATE_BPS * MSS_BYTES * 8 / FRAME_BITS
WATCHED_BPS = 20e6
PACED = 0.99
"""Part of the estimated rate that the draft paces at."""

NONE = 2**32 - 1
RATES = st.integers(1, 2**30)


@given(delivered=st.integers(1, 2**17), interval_us=st.integers(1, 2**26))
def test_rates(library: Load, delivered: int, interval_us: int) -> None:
    assert library(HEADER).bbr3_rate(delivered, interval_us) == min(2**30, (delivered << 24) // interval_us)


@given(rate=RATES, packet_bytes=st.integers(500, 9000), gain=st.integers(100, 8000))
def test_pacing_is_a_hundredth_below_the_gain(library: Load, rate: int, packet_bytes: int, gain: int) -> None:
    exact = Fraction(rate, 2**24) * 10**6 * packet_bytes * gain / 1000 * Fraction(99, 100)
    assert library(HEADER).bbr3_pacing_rate(rate, packet_bytes, gain) == pytest.approx(float(exact), rel=1e-3, abs=1)


@given(rate=RATES, rtt_us=st.integers(1, 2**22), gain=st.integers(100, 8000))
def test_packets_of_a_round(library: Load, rate: int, rtt_us: int, gain: int) -> None:
    exact = min(2**28, ceil(Fraction(rate * rtt_us, 2**24) * gain / 1000))
    assert library(HEADER).bbr3_packets(rate, rtt_us, gain) == pytest.approx(exact, rel=1e-4, abs=1)


@given(limit=st.integers(4, 2**24), headroom=st.integers(0, 900))
def test_room_for_others(library: Load, limit: int, headroom: int) -> None:
    left = library(HEADER).bbr3_with_headroom(limit, headroom)
    assert left == max(4, limit - max(1, limit * headroom // 1000))
    assert library(HEADER).bbr3_with_headroom(NONE, headroom) == NONE


@given(this_round=st.integers(0, 1000), before=st.integers(0, 1000), gone=st.integers(0, 2000), packets=st.integers(1, 2000))
def test_losses_since_a_packet_was_sent(library: Load, this_round: int, before: int, gone: int, packets: int) -> None:
    rest = before * (packets - gone) // packets if gone < packets else 0
    assert library(HEADER).bbr3_lost_since(this_round, before, gone, packets) == this_round + rest


def test_a_probe_doubles_its_steps_with_each_round(library: Load) -> None:
    assert [library(HEADER).bbr3_acks_to_raise(64, rounds) for rounds in range(9)] == [64, 32, 16, 8, 4, 2, 1, 1, 1]
    assert library(HEADER).bbr3_acks_to_raise(2**20, 31) == 1


def test_draws_are_spread(library: Load) -> None:
    drawn = [library("drawn.h").drawn_below(2000, 40_000 * number, 47 * number) for number in range(4000)]
    assert max(drawn) < 2000
    assert all(sum(1 for one in drawn if low <= one < low + 200) == pytest.approx(400, rel=0.25) for low in range(0, 2000, 200))


class Watched:
    """One connection over 20 Mbit/s with an RTT of 40 ms, seen every 10 ms."""

    def __init__(self, name: str, until_s: float) -> None:
        self.simulation = Simulation()
        self.link = Link(self.simulation, WATCHED_BPS, 1000)
        self.flow = Flow(self.simulation, self.link, Frame(name), 20_000, mss_bytes=MSS_BYTES)
        self.seen: list[tuple[float, float, int]] = []
        """Time in s, pacing in parts of the link's rate, window."""

        self.simulation.at(10, self._look)
        self.simulation.run(until_s)

    def _look(self) -> None:
        rate = self.flow.connection.pacing_bytes_per_s * FRAME_BITS / MSS_BYTES / WATCHED_BPS
        self.seen.append((self.simulation.now_us / 1e6, rate, self.flow.window))
        self.simulation.at(self.simulation.now_us + 10_000, self._look)

    def times_at(self, part: float) -> list[float]:
        """When pacing came to this part of the rate."""
        near = [abs(rate - PACED * part) < 0.02 for _, rate, _ in self.seen]
        return [self.seen[at][0] for at in range(1, len(near)) if near[at] and not near[at - 1]]

    def probes(self) -> list[float]:
        """When it paced a quarter above the rate, past its start."""
        return [time for time in self.times_at(1.25) if time > 1]


def test_startup_ends_where_the_rate_no_longer_grows_and_the_queue_drains() -> None:
    watched = Watched("bbr3", 1)
    at_most = max(rate for _, rate, _ in watched.seen)
    (full_s,) = [time for time, rate, _ in watched.seen if rate == at_most][-1:]
    assert at_most == pytest.approx(2.773 * PACED, rel=0.02)
    assert [time for time in watched.times_at(0.5) if time > full_s] == [pytest.approx(full_s, abs=0.02)], "Drain, once"
    assert watched.seen[-1][1] == pytest.approx(PACED, rel=0.01)


def test_it_probes_by_a_quarter_every_two_to_three_seconds_and_gives_a_tenth_back() -> None:
    watched = Watched("bbr3(probe_rtt_after_ms=60000)", 30)
    ups, downs = watched.probes(), watched.times_at(0.9)
    assert len(ups) >= 8
    assert all(2.0 <= later - earlier <= 3.4 for earlier, later in pairwise(ups))
    assert len({round(later - earlier, 1) for earlier, later in pairwise(ups)}) > 3, "by chance"
    assert all(any(up < down < up + 0.3 for down in downs) for up in ups[:-1])


def test_where_rounds_are_short_it_probes_as_often_as_standard_tcp_would() -> None:
    """63 rounds, and those of the probe itself."""
    probes = Watched("bbr3(probe_rtt_after_ms=60000,probe_after_ms=60000)", 20).probes()
    assert len(probes) > 4
    assert all(63 <= (later - earlier) / 0.04 <= 75 for earlier, later in pairwise(probes))


def test_every_five_seconds_half_the_path_is_left_empty() -> None:
    watched = Watched("bbr3", 21)
    packets = WATCHED_BPS / FRAME_BITS * 0.04
    low = [time for time, _, window in watched.seen if window < 0.6 * packets and time > 1]
    begins = [time for at, time in enumerate(low) if at == 0 or time - low[at - 1] > 0.1]
    assert all(later - earlier == pytest.approx(5.3, abs=0.3) for earlier, later in pairwise(begins))
    assert len(begins) in (3, 4)
    assert len(low) * 0.01 / len(begins) == pytest.approx(0.2 + 0.04, abs=0.06), "200 ms and a round"


def alone(name: str, lost: float, until_s: float = 30) -> Flow:
    """One connection whose packets are lost by chance."""
    simulation, chance = Simulation(), random.Random(1)
    flow = Flow(simulation, Link(simulation, RATE_BPS, loses=lambda: chance.random() < lost), Frame(name), 20_000, mss_bytes=MSS_BYTES)
    simulation.run(until_s)
    return flow


def test_losses_by_chance_below_its_threshold_cost_little() -> None:
    assert alone("bbr3", 0.01).rate_bps(10, 30) > 0.8 * PAYLOAD_BPS > 2 * alone("reno", 0.01).rate_bps(10, 30)
    assert alone("bbr3", 0.05).rate_bps(10, 30) < 0.4 * PAYLOAD_BPS
    assert alone("bbr3(loss_threshold=0.2)", 0.05).rate_bps(10, 30) > 0.6 * PAYLOAD_BPS


def test_a_shallow_queue_loses_less_than_the_threshold() -> None:
    simulation = Simulation()
    link = Link(simulation, RATE_BPS, queue_packets=12)
    flow = Flow(simulation, link, Frame("bbr3"), 20_000, mss_bytes=MSS_BYTES)
    simulation.run(20)
    assert flow.rate_bps(5, 20) > 0.95 * PAYLOAD_BPS
    assert link.dropped < 0.02 * flow.acked_packets


def test_several_share_and_beside_standard_tcp_neither_is_starved() -> None:
    assert jain([flow.rate_bps(10, 30) for flow in flows(["bbr3"] * 3, 30, queue_packets=50)]) > 0.95
    for queue_packets in (50, 200):
        bbr3, reno = (flow.rate_bps(10, 40) for flow in flows(["bbr3", "reno"], 40, queue_packets=queue_packets))
        assert 0.4 < bbr3 / (bbr3 + reno) < 0.9


def test_after_an_outage_it_is_back_within_seconds() -> None:
    simulation, is_out = Simulation(), [False]
    flow = Flow(simulation, Link(simulation, RATE_BPS, loses=lambda: is_out[0]), Frame("bbr3"), 20_000, mss_bytes=MSS_BYTES)
    simulation.at(6_000_000, lambda: is_out.__setitem__(0, True))
    simulation.at(7_000_000, lambda: is_out.__setitem__(0, False))
    simulation.run(6.9)
    assert flow.timeouts >= 1
    assert flow.window == 1
    simulation.run(14)
    assert flow.rate_bps(10, 14) > 0.9 * PAYLOAD_BPS


def test_a_loss_that_was_none_gives_the_window_back() -> None:
    simulation = Simulation()
    flow = Flow(simulation, Link(simulation, RATE_BPS), Frame("bbr3"), 20_000, mss_bytes=MSS_BYTES)
    simulation.run(6.2)
    before = flow.window
    flow.connection.timed_out(simulation.now_us)
    assert flow.window < before
    flow.connection.undo()
    assert flow.window == before


def test_an_application_that_limits_teaches_it_nothing_and_after_silence_the_rate_is_the_old_one() -> None:
    simulation = Simulation()
    flow = Flow(simulation, Link(simulation, RATE_BPS), Frame("bbr3"), 20_000, mss_bytes=MSS_BYTES, offered=4000)
    for step in range(60):
        simulation.at(5_000_000 + 100_000 * step, lambda: flow.offer(10))
    simulation.run(11.5)
    assert flow.acked_packets == flow.offered
    full_rate = flow.connection.pacing_bytes_per_s * 8
    assert full_rate == pytest.approx(PAYLOAD_BPS, rel=0.3)
    flow.offer(UNLIMITED)
    simulation.run(14)
    assert flow.rate_bps(12, 14) > 0.9 * PAYLOAD_BPS
