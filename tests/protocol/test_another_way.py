"""Answers that come back without having passed the switches that requests pass (decision "answers that come another way")."""

from __future__ import annotations

import random

import pytest

from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.units import US_PER_S
from hosts.sender_negotiation import Phase
from protocol.codes import EntryType
from protocol.headers import Entry
from protocol.variant import DEPLOYABLE

HOP_US = 5_000
WAY = [("s1", 1), ("s2", 2), ("s3", 3)]
BOTTLENECK_KBPS = 36_000
CAPACITIES_KBPS = {"s1": {1: 100_000}, "s2": {2: BOTTLENECK_KBPS}, "s3": {3: 100_000}}
RTT_US = 2 * HOP_US * (len(WAY) + 1)


def transmission(number: int, *bypassed: str) -> Transmission:
    return Transmission(number, WAY, 200_000, HOP_US, is_deployable=True, bypassed=frozenset(bypassed))


@pytest.mark.parametrize("bypassed", [("s2",), ("s3",), ("s2", "s3")])
def test_it_goes_on_alone_and_leaves_no_record(bypassed: tuple[str, ...]) -> None:
    network = Network(CAPACITIES_KBPS, HOP_US, 1_000, variant=DEPLOYABLE)
    sender = transmission(1, *bypassed)
    network.start(sender)
    network.run(6 * RTT_US)
    assert sender.sender.phase is Phase.ANOTHER_WAY
    assert sender.sender.deadline_s is None
    assert [switch.records for switch in network.switches.values()] == [{}, {}, {}]


def test_a_route_that_changes_is_noticed_by_the_next_refreshes() -> None:
    network = Network(CAPACITIES_KBPS, HOP_US, 1_000, variant=DEPLOYABLE)
    sender, other = transmission(1), transmission(2)
    for one in (sender, other):
        network.start(one)
        network.run(network.now_us + 3 * US_PER_S)
    sender.bypassed = frozenset({"s2"})
    network.run(network.now_us + 10 * US_PER_S)
    assert sender.sender.phase is Phase.ANOTHER_WAY
    assert other.sender.phase is Phase.ALLOCATED
    assert other.rate_kbps == BOTTLENECK_KBPS


@pytest.mark.parametrize("seed", range(10))
def test_lost_messages_and_lost_records_are_no_other_way(seed: int) -> None:
    """One message in twenty is lost on each link, and the switches lose all records twice."""
    chance = random.Random(seed)
    network = Network(CAPACITIES_KBPS, HOP_US, 1_000, lambda: chance.random() < 0.05, DEPLOYABLE)
    senders = [transmission(number) for number in range(1, 6)]
    for sender in senders:
        network.start(sender)
        network.run(network.now_us + US_PER_S)
    for _ in range(2):
        for switch in network.switches.values():
            for record in [*switch.records.values()]:
                entry = Entry(EntryType.EXPIRE, record.data_port, record.id, record.sender_ip, record.receiver_ip)
                switch.handle_entry(entry, True, network.now_us)
        network.run(network.now_us + 12 * US_PER_S)
    assert [sender.sender.phase for sender in senders] == [Phase.ALLOCATED] * len(senders)
