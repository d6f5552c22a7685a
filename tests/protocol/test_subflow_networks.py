"""Subflows in whole networks: Algorithm 2 with the real controllers and senders over reference models.

The invariants of test_networks.py, and besides: subflows that meet on a port have one transmission's share there together, whoever comes,
goes, or is held back elsewhere.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.studies.simulated_network.network_simulation import Network, Transmission, without_refreshes
from protocol.wire import MessageType
from tests.harness.long_tests import examples
from tests.protocol.test_networks import HOP_US, PORTS, SETTLED_US, check_sums

WANTED_KBPS = 200_000
CONTROLLER_US = 500
MESSAGES_PER_CHANGE = 16
"""Twice as many as without subflows: a rate that one of them gives up is offered to its siblings, on each of their ports. 8.4 were seen."""


def start_all(network: Network, times_us: dict[Transmission, tuple[int, int | None]]) -> None:
    for flow, (start_us, end_us) in times_us.items():
        network.after(start_us, lambda flow=flow: network.start(flow))  # type: ignore[misc]
        if end_us is not None:
            network.after(end_us, lambda flow=flow: network.stop(flow))  # type: ignore[misc]


def rates_at(network: Network, time_us: int, *flows: Transmission) -> list[int]:
    network.run(time_us, check_sums)
    return [flow.rate_kbps for flow in flows]


def test_the_papers_figure_10() -> None:
    """A alone, D's first subflow, its second: 6 → 3 + 3 → 3 + 1.5 + 1.5. D1 goes: D2 has all of D's share. A goes: D2 has all."""
    network = Network({"s1": {1: 6_000}, "s2": {2: 200_000}}, HOP_US, CONTROLLER_US)
    way = [("s1", 1), ("s2", 2)]
    a, d1, d2 = Transmission(1, way, WANTED_KBPS, HOP_US), *(Transmission(n, way, WANTED_KBPS, HOP_US, of=2) for n in (2, 3))
    start_all(network, {a: (0, 21_000_000), d1: (5_000_000, 16_000_000), d2: (10_000_000, None)})
    assert rates_at(network, 4_900_000, a, d1, d2) == [6_000, 0, 0]
    assert rates_at(network, 9_900_000, a, d1, d2) == [3_000, 3_000, 0]
    assert rates_at(network, 10_500_000, a, d1, d2) == [3_000, 1_500, 1_500]
    assert rates_at(network, 15_900_000, a, d1, d2) == [3_000, 1_500, 1_500]
    assert rates_at(network, 20_900_000, a, d1, d2) == [3_000, 0, 3_000]
    assert rates_at(network, 25_900_000, a, d1, d2) == [0, 0, 6_000]
    assert a.received[MessageType.REDUCE] == 1
    assert d1.received[MessageType.REDUCE] == 1
    assert d2.received[MessageType.INCREASE] == 2


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (1, 4, 0, 2, 3)])
def test_a_transmission_with_four_subflows_has_as_much_as_one_with_one(order: tuple[int, ...]) -> None:
    network = Network({"s1": {1: 40_000}, "s2": {1: 40_000}}, HOP_US, CONTROLLER_US)
    way = [("s1", 1), ("s2", 1)]
    flows = [Transmission(number, way, WANTED_KBPS, HOP_US, of=9 if number > 0 else 0) for number in range(5)]
    start_all(network, {flows[number]: (3_000_000 * at, None) for at, number in enumerate(order)})
    rates = rates_at(network, 40_000_000, *flows)
    assert rates[0] == pytest.approx(20_000, rel=0.01)
    assert sum(rates[1:]) == pytest.approx(20_000, rel=0.01)
    assert rates[1:] == pytest.approx([5_000] * 4, rel=0.02)


def test_what_one_subflow_cannot_use_its_siblings_get() -> None:
    """D2 is held to 1 Mbit/s elsewhere: D1 takes the rest of D's share, whoever came first; the other transmission keeps its own."""
    for first in (0, 1):
        network = Network({"s1": {1: 12_000}, "s2": {2: 1_000}}, HOP_US, CONTROLLER_US)
        a = Transmission(1, [("s1", 1)], WANTED_KBPS, HOP_US)
        d = [Transmission(2, [("s1", 1)], WANTED_KBPS, HOP_US, of=2), Transmission(3, [("s1", 1), ("s2", 2)], WANTED_KBPS, HOP_US, of=2)]
        start_all(network, {a: (0, None), d[first]: (3_000_000, None), d[1 - first]: (6_000_000, None)})
        assert rates_at(network, 20_000_000, a, *d) == pytest.approx([6_000, 5_000, 1_000], rel=0.01)


def test_subflows_on_disjoint_paths_have_a_share_of_each() -> None:
    network = Network({"s1": {1: 20_000, 2: 30_000}}, HOP_US, CONTROLLER_US)
    a = Transmission(1, [("s1", 1)], WANTED_KBPS, HOP_US)
    d1 = Transmission(2, [("s1", 1)], WANTED_KBPS, HOP_US, of=2)
    d2 = Transmission(3, [("s1", 2)], WANTED_KBPS, HOP_US, of=2)
    start_all(network, {a: (0, None), d1: (3_000_000, None), d2: (6_000_000, None)})
    assert rates_at(network, 15_000_000, a, d1, d2) == [10_000, 10_000, 30_000]


def test_subflows_that_start_at_once_are_not_taken_for_many() -> None:
    """Eight subflows within a round trip: the port does not expect eight more transmissions."""
    network = Network({"s1": {1: 80_000}}, HOP_US, CONTROLLER_US)
    flows = [Transmission(number, [("s1", 1)], WANTED_KBPS, HOP_US, of=1) for number in range(1, 9)]
    start_all(network, {flow: (number * 1_000, None) for number, flow in enumerate(flows)})
    assert sum(rates_at(network, 1_000_000, *flows)) == pytest.approx(80_000, rel=0.01)


@st.composite
def plans(draw: st.DrawFn) -> list[tuple[int, int | None, list[tuple[str, int]], int, int]]:
    """(start, end, way, wanted rate, transmission) of each subflow."""
    plan = []
    for _ in range(draw(st.integers(2, 10))):
        start_us = draw(st.integers(0, 4_000_000))
        lasts_us = draw(st.one_of(st.none(), st.integers(100_000, 3_000_000)))
        way = sorted(draw(st.lists(st.sampled_from(PORTS), min_size=1, max_size=3, unique=True)))
        wanted_kbps = draw(st.sampled_from([200_000, 200_000, 12_345, 4_321]))
        plan.append((start_us, None if lasts_us is None else start_us + lasts_us, way, wanted_kbps, draw(st.integers(1, 4))))
    return plan


@settings(max_examples=examples(60), deadline=None)
@given(plan=plans(), middle_kbps=st.sampled_from([20_000, 36_000, 50_000]), controller_us=st.sampled_from([100, 1_000, 20_000]))
def test_networks_with_subflows_stay_within_capacity_and_settle(
    plan: list[tuple[int, int | None, list[tuple[str, int]], int, int]], middle_kbps: int, controller_us: int
) -> None:
    network = Network({"s1": {1: 36_000}, "s2": {2: middle_kbps}, "s3": {3: 30_000}}, HOP_US, controller_us)
    flows = {
        Transmission(number + 1, way, wanted_kbps, HOP_US, of=of): (start_us, end_us)
        for number, (start_us, end_us, way, wanted_kbps, of) in enumerate(plan)
    }
    start_all(network, flows)
    changes = sum(1 if end_us is None else 2 for _, end_us in flows.values())
    network.run(SETTLED_US, check_sums)

    for name, port in PORTS:
        sent_kbps = sum(flow.rate_kbps for flow in flows if flow.crosses(name, port))
        assert sent_kbps == network.switches[name].ports[port].sum_kbps, f"records of {name} and what is sent differ"
    for flow in flows:
        received: Counter[MessageType] = Counter(flow.received)
        received[MessageType.SUCCESS] -= flow.sender.counters.refreshes
        assert received.total() <= MESSAGES_PER_CHANGE * changes
        assert received[MessageType.FAILURE] == 0
    for state in network.controllers.values():
        assert state.reconciler.is_synchronised

    quiet_since_us = network.last_change_us
    assert quiet_since_us < SETTLED_US - 10_000_000
    before = [without_refreshes(flow) for flow in flows]
    network.run(SETTLED_US + 20_000_000, check_sums)
    assert before == [without_refreshes(flow) for flow in flows]
    assert network.last_change_us == quiet_since_us
