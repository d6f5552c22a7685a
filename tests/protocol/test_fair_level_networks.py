"""The fair-level variant in whole networks: everybody comes to the max-min fair share, and never more is let in than there is."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.units import US_PER_S
from protocol.variant import FAIR_LEVEL
from protocol.wire import MAX_RATE_KBPS, MessageType
from scenario.fair_share import max_min_shares
from tests.harness.long_tests import examples

HOP_US = 5_000
WAY = [("s1", 1), ("s2", 2), ("s3", 3)]
CAPACITIES_KBPS = {"s1": {1: 100_000}, "s2": {2: 36_000}, "s3": {3: 60_000}}
SETTLED_US = 3 * US_PER_S


def sender(number: int, way: list[tuple[str, int]] = WAY, wanted_kbps: int = MAX_RATE_KBPS, min_kbps: int = 0) -> Transmission:
    return Transmission(number, way, wanted_kbps, HOP_US, min_kbps=min_kbps, follows_level=True)


def network_of(loss: float = 0.0, seed: int = 0) -> Network:
    chance = random.Random(seed)
    return Network(CAPACITIES_KBPS, HOP_US, 1_000, lambda: chance.random() < loss, FAIR_LEVEL)


def never_more_than_there_is(network: Network) -> None:
    """Neither the senders' rates nor the rates let through in the class of negotiated data add up to more than a port's capacity."""
    for name, ports in CAPACITIES_KBPS.items():
        switch = network.switches[name]
        assert switch.reserving is not None
        assert not switch.reserving.overcommitted
        for port, capacity_kbps in ports.items():
            crossing = [one for one in network.transmissions.values() if one.crosses(name, port)]
            assert sum(one.rate_kbps for one in crossing) <= capacity_kbps, f"{name} port {port} at {network.now_us} µs"
            assert switch.reserving.reserved_sums_kbps[port] <= capacity_kbps


def test_three_come_and_go() -> None:
    """36, 18, 12, 12 → 18 → 36 Mbit/s, to the last kbit/s, and no message but requests and their answers."""
    network = network_of()
    senders = [sender(number) for number in (1, 2, 3)]
    for number, one in enumerate(senders):
        network.after(number * 5 * US_PER_S, lambda one=one: network.start(one))  # type: ignore[misc]
    network.after(16 * US_PER_S, lambda: network.stop(senders[2]))
    network.after(21 * US_PER_S, lambda: network.stop(senders[1]))
    alone, two, three = (36_000, 0, 0), (18_000, 18_000, 0), (12_000, 12_000, 12_000)
    for at_s, rates in ((1, alone), (6, two), (11, three), (17, two), (22, alone)):
        network.run(at_s * US_PER_S, never_more_than_there_is)
        assert tuple(one.rate_kbps for one in senders) == rates
    assert set(senders[0].received) == {MessageType.SUCCESS, MessageType.CHALLENGE}


@st.composite
def networks(draw: st.DrawFn) -> list[tuple[list[tuple[str, int]], int]]:
    """Way and wanted rate of each transmission."""
    ways = st.lists(st.sampled_from(WAY), min_size=1, max_size=3, unique=True).map(sorted)
    return draw(st.lists(st.tuples(ways, st.sampled_from([MAX_RATE_KBPS, MAX_RATE_KBPS, 12_345, 4_321])), min_size=1, max_size=8))


@settings(max_examples=examples(30), deadline=None)
@given(plan=networks(), leaving=st.integers(0, 3))
def test_everybody_comes_to_the_max_min_fair_share(plan: list[tuple[list[tuple[str, int]], int]], leaving: int) -> None:
    network = network_of()
    senders = {f"{number}": sender(number, way, wanted_kbps) for number, (way, wanted_kbps) in enumerate(plan, 1)}
    for number, one in enumerate(senders.values()):
        network.after(number * 100_000, lambda one=one: network.start(one))  # type: ignore[misc]
    network.run(SETTLED_US + 1_000_000, never_more_than_there_is)
    for name in list(senders)[:leaving]:
        network.stop(senders.pop(name))
    network.run(2 * SETTLED_US + 1_000_000, never_more_than_there_is)
    capacities = {(name, port): float(rate) for name, ports in CAPACITIES_KBPS.items() for port, rate in ports.items()}
    wanted = {name: one.wanted_kbps for name, one in senders.items()}
    fair = max_min_shares({name: one.way for name, one in senders.items()}, capacities, wanted)
    for name, one in senders.items():
        assert one.rate_kbps == pytest.approx(fair[name], abs=len(plan))


@pytest.mark.parametrize("seed", range(examples(10)))
def test_messages_lost_and_no_controllers(seed: int) -> None:
    network = network_of(loss=0.05, seed=seed)
    senders = [sender(number) for number in range(1, 7)]
    for number, one in enumerate(senders):
        network.after(number * US_PER_S + 1, lambda one=one: network.start(one))  # type: ignore[misc]
    network.after(2_500_000, network.kill_controllers)
    network.after(7_500_000, network.restart_controllers)
    network.after(4_600_000, lambda: network.stop(senders[0]))
    network.run(30 * US_PER_S, never_more_than_there_is)
    assert network.lost > 0
    assert [one.rate_kbps for one in senders[1:]] == pytest.approx([36_000 / 5] * 5, rel=0.02)


def test_a_record_that_nobody_asks_for_goes() -> None:
    """Its sender has died without a word; the controller, which has been restarted besides, asks the switch for its age."""
    network = network_of()
    first, second = sender(1), sender(2)
    network.start(first)
    network.start(second)
    network.run(SETTLED_US)
    network.kill_controllers()
    network.restart_controllers()
    network.hop_of = lambda of: 10**12 if of is second else HOP_US  # type: ignore[method-assign, assignment]
    second.rate_kbps = 0
    network.run(SETTLED_US + 40 * US_PER_S)
    assert first.rate_kbps == 36_000


def test_a_slower_link_lowers_the_level_and_ends_those_whose_min_does_not_fit() -> None:
    network = network_of()
    first, second = sender(1, min_kbps=15_000), sender(2, min_kbps=15_000)
    network.start(first)
    network.run(SETTLED_US)
    network.start(second)
    network.run(2 * SETTLED_US)
    assert (first.rate_kbps, second.rate_kbps) == (18_000, 18_000)
    network.set_capacity("s2", 2, 20_000)
    network.run(4 * SETTLED_US)
    assert sorted((first.rate_kbps, second.rate_kbps)) == [0, 20_000]
