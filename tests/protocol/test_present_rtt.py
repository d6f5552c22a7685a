"""A path gets longer or shorter while transmissions negotiate over it (decision "the present RTT")."""

from __future__ import annotations

import pytest

from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.units import US_PER_S
from protocol.deployable_headers import MAX_COUNTED_RTT_US
from protocol.variant import DEPLOYABLE

SHORT_US = 5_000
LONGER_US = 25_000
LONG_US = 60_000
WAY = [("s1", 1), ("s2", 2), ("s3", 3)]
BOTTLENECK_KBPS = 36_000
CAPACITIES_KBPS = {"s1": {1: 100_000}, "s2": {2: BOTTLENECK_KBPS}, "s3": {3: 100_000}}


def two_over_a_path_that_becomes(hop_us: int, *, follows_rtt: bool) -> tuple[Network, list[Transmission]]:
    """Two share the bottleneck; then the path changes."""
    network = Network(CAPACITIES_KBPS, SHORT_US, 1_000, variant=DEPLOYABLE)
    senders = [Transmission(number, WAY, 200_000, SHORT_US, is_deployable=True, follows_rtt=follows_rtt) for number in (1, 2)]
    for sender in senders:
        network.start(sender)
        network.run(network.now_us + 3 * US_PER_S)
    assert [sender.rate_kbps for sender in senders] == [BOTTLENECK_KBPS / 2] * 2
    network.hop_us = hop_us
    return network, senders


def rtts_s(network: Network, sender: Transmission) -> list[float]:
    """The controllers' values of the sender's RTT."""
    return [record.rtt_s for state in network.controllers.values() for record in state.records_of(sender.sender.id)]


def test_what_is_free_on_a_path_that_got_long_is_had() -> None:
    network, (first, second) = two_over_a_path_that_becomes(LONG_US, follows_rtt=True)
    network.stop(second)
    network.run(network.now_us + 10 * US_PER_S)
    assert first.rate_kbps == BOTTLENECK_KBPS


def test_with_the_rtt_of_the_handshake_it_is_not() -> None:
    """Its requests time out before their answers come, and no answer but the one to the latest counts: so that the test above can fail."""
    network, (first, second) = two_over_a_path_that_becomes(LONG_US, follows_rtt=False)
    network.stop(second)
    network.run(network.now_us + 10 * US_PER_S)
    assert first.rate_kbps == BOTTLENECK_KBPS / 2


def test_each_subflow_tells_that_of_its_own_path() -> None:
    """One transmission over two ways that share the last switch, the second one longer."""
    long_way = [("s1", 2), ("s2", 2), ("s3", 3)]
    network = Network({**CAPACITIES_KBPS, "s1": {1: 100_000, 2: 100_000}}, SHORT_US, 1_000, variant=DEPLOYABLE)
    subflows = [Transmission(number, way, 200_000, SHORT_US, of=1, is_deployable=True) for number, way in ((1, WAY[1:]), (2, long_way))]
    for subflow in subflows:
        network.start(subflow)
        network.run(network.now_us + 3 * US_PER_S)
    network.hop_us = LONGER_US
    network.run(network.now_us + 6 * US_PER_S)
    assert set(rtts_s(network, subflows[0])) == {6 * LONGER_US / US_PER_S}
    assert set(rtts_s(network, subflows[1])) == {8 * LONGER_US / US_PER_S}


@pytest.mark.parametrize("hop_us", [LONGER_US, SHORT_US // 5])
def test_the_controllers_learn_it_by_the_next_refresh(hop_us: int) -> None:
    network, senders = two_over_a_path_that_becomes(hop_us, follows_rtt=True)
    network.run(network.now_us + 6 * US_PER_S)
    for sender in senders:
        assert rtts_s(network, sender) == [sender.rtt_us(hop_us) / US_PER_S] * len(WAY)


def test_no_more_of_it_counts_than_of_a_request() -> None:
    network, senders = two_over_a_path_that_becomes(LONG_US, follows_rtt=True)
    network.run(network.now_us + 6 * US_PER_S)
    assert senders[0].rtt_us(LONG_US) > MAX_COUNTED_RTT_US
    assert rtts_s(network, senders[0]) == [MAX_COUNTED_RTT_US / US_PER_S] * len(WAY)
