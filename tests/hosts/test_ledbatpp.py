"""LEDBAT++: its arithmetic against the draft's in fractions, its queue, its slowdowns, and that it gives way."""

from __future__ import annotations

import ctypes
import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hosts.cca.simulation.frame import LOSS
from hosts.cca.simulation.network import Flow, jain
from hosts.cca.simulation.rounds import Rounds
from tests.hosts.c_arithmetic import Load
from tests.hosts.one_link import BASE_US, RATE_BPS, flows

HEADER = "ledbatpp_gain.h"
ONE_PACKET = 1 << 16
TARGET_US = 60_000


@given(base_us=st.integers(1, 2**24), target_us=st.integers(1, 10**6))
def test_the_gain_is_the_drafts(library: Load, base_us: int, target_us: int) -> None:
    assert library(HEADER).ledbatpp_slowness(base_us, target_us) == min(16, math.ceil(Fraction(2 * target_us, base_us)))


@given(window=st.integers(2, 2**20), queue_us=st.integers(TARGET_US + 1, 2**24), slowness=st.integers(1, 16))
def test_above_the_target_the_window_shrinks_by_the_excess_and_by_half_at_most(
    library: Load, window: int, queue_us: int, slowness: int
) -> None:
    after = library(HEADER).ledbatpp_above_target(ctypes.c_uint64(window << 16), queue_us, TARGET_US, slowness) / ONE_PACKET
    excess = float(window * (Fraction(queue_us, TARGET_US) - 1))
    gain = 1 / slowness
    assert after == pytest.approx(window + max(gain - excess, -window / 2), abs=gain + 1e-3), "within the gain, where half is lost"


def test_it_begins_with_two_packets_and_grows_by_the_gain() -> None:
    """A third of standard TCP's at 40 ms: 2, 2 + 2/3, ... in slow start, and a packet in three rounds after it."""
    assert Rounds("ledbatpp", 30, threshold=1000).rounds(3) == [pytest.approx(30 * (4 / 3) ** number, abs=2) for number in (1, 2, 3)]
    avoiding = Rounds("ledbatpp(slowdowns=no)", 30)
    assert avoiding.rounds(9)[-1] == pytest.approx(33, abs=1)
    (flow,) = flows(["ledbatpp"], 0.05)
    assert flow.samples[0].window == 2


@pytest.mark.parametrize("target_ms", [20, 60])
def test_the_queue_waits_for_the_target(target_ms: int) -> None:
    (flow,) = flows([f"ledbatpp(target_ms={target_ms},slowdowns=no)"], 30)
    waits_ms = [(sample.rtt_us - BASE_US) / 1000 for sample in flow.between(20, 30)]
    assert sum(waits_ms) / len(waits_ms) == pytest.approx(target_ms, rel=0.1)
    assert flow.rate_bps(20, 30) > 0.99 * RATE_BPS * 1000 / 1066


def slowdowns(flow: Flow, from_s: float) -> list[tuple[float, float]]:
    """When the window went down to two packets, and when it was up again, in seconds."""
    found: list[tuple[float, float]] = []
    before, began_s = 0, None
    for sample in flow.samples:
        if sample.window == 2 and before > 4:
            began_s, goal = sample.time_s, before
        elif began_s is not None and sample.window >= goal:
            found.append((began_s, sample.time_s))
            began_s = None
        before = sample.window
    return [one for one in found if one[0] > from_s]


def test_slowdowns_take_a_tenth_of_the_time_and_show_the_path() -> None:
    (flow,) = flows(["ledbatpp"], 40)
    found = slowdowns(flow, 2)
    assert len(found) >= 5
    for (began_s, ended_s), (next_s, _) in pairwise(found):
        assert next_s - ended_s == pytest.approx(9 * (ended_s - began_s), rel=0.05)
    assert min(sample.rtt_us for sample in flow.between(30, 40)) < BASE_US + 2000
    assert flow.rate_bps(10, 40) > 0.9 * RATE_BPS * 1000 / 1066


def test_it_gives_way_to_standard_tcp_and_shares_with_its_like() -> None:
    background, reno = (flow.rate_bps(10, 30) for flow in flows(["ledbatpp", "reno"], 30, queue_packets=100))
    assert background < 0.08 * (background + reno)
    assert jain([flow.rate_bps(15, 40) for flow in flows(["ledbatpp"] * 2, 40)]) > 0.95


def test_a_loss_halves_and_a_timeout_begins_anew() -> None:
    flow = Rounds("ledbatpp", 100)
    flow.rounds(2)
    flow.connection.set_window(100)
    flow.lose_one()
    assert flow.connection.threshold == 50
    flow.connection.set_window(100)
    flow.time_out()
    assert (flow.connection.state, flow.window) == (LOSS, 1)
    flow.acknowledge_all()
    assert max(flow.rounds(8)) > 40, "it finds its way back"


@pytest.mark.parametrize("threshold", [None, 1000])
def test_the_window_does_not_grow_while_the_application_limits(threshold: int | None) -> None:
    assert max(Rounds("ledbatpp(slowdowns=no)", 40, threshold=threshold).rounds(50, packets=5)) <= 40
