"""The simulation itself: links to the microsecond, and standard TCP in the kernel's frame as the RFCs have it."""

from __future__ import annotations

import itertools

import pytest

from hosts.cca.simulation.frame import LOSS, OPEN, Frame
from hosts.cca.simulation.network import FRAME_OVERHEAD_BYTES, Flow, Link, Simulation, jain
from hosts.cca.simulation.rounds import Rounds


def test_a_link_delays_queues_and_drops() -> None:
    simulation = Simulation()
    link = Link(simulation, rate_bps=8e6, queue_packets=2)  # 1 us a byte
    arrivals: list[int] = []
    for _ in range(3):
        link.send(1000 - FRAME_OVERHEAD_BYTES, 5000, lambda: arrivals.append(simulation.now_us))
    simulation.run(1)
    assert arrivals == [6000, 7000]
    assert link.dropped == 1


def test_standard_tcp_doubles_then_adds_one_and_halves() -> None:
    reno = Rounds("reno", 10, threshold=40)
    assert reno.rounds(4) == [20, 40, 41, 42]
    reno.lose_one()
    assert reno.connection.state == OPEN
    assert reno.window == reno.connection.threshold == 21


def test_a_timeout_leaves_one_packet_and_slow_start() -> None:
    reno = Rounds("reno", 40)
    reno.time_out()
    assert (reno.window, reno.connection.threshold, reno.connection.state) == (1, 20, LOSS)
    reno.acknowledge_all()
    assert reno.connection.state == OPEN


def test_a_transfer_fills_its_link_and_repeats_exactly() -> None:
    def transfer() -> list[int]:
        simulation = Simulation()
        link = Link(simulation, rate_bps=4e6, queue_packets=40)
        flow = Flow(simulation, link, Frame("reno"), delay_us=20_000)
        simulation.run(6)
        assert link.dropped > 0
        assert flow.timeouts == 0
        assert flow.rate_bps(2, 6) == pytest.approx(4e6 * 1000 / 1066, rel=0.001)
        return [sample.window for sample in flow.samples]

    assert transfer() == transfer()


def test_losses_by_chance_are_repaired() -> None:
    simulation = Simulation()
    numbers = itertools.count(1)
    link = Link(simulation, loses=lambda: next(numbers) % 100 == 0)
    flow = Flow(simulation, link, Frame("reno"), delay_us=20_000)
    simulation.run(10)
    assert flow.acked_packets > 2500
    assert flow.window < 40
    assert flow.timeouts == 0


def test_a_dead_path_times_out_again_and_again() -> None:
    simulation = Simulation()
    is_dead = False
    link = Link(simulation, rate_bps=4e6, queue_packets=40, loses=lambda: is_dead)
    flow = Flow(simulation, link, Frame("reno"), delay_us=20_000)
    simulation.run(1)
    is_dead = True
    simulation.run(10)
    assert 4 <= flow.timeouts <= 6, "each time twice as late"
    is_dead = False
    acked = flow.acked_packets
    simulation.run(30)
    assert flow.acked_packets > acked + 1000


def test_jain() -> None:
    assert jain([1, 1, 1, 1, 1]) == 1
    assert jain([1, 0, 0, 0, 0]) == pytest.approx(0.2)
