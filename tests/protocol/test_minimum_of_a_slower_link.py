"""A link gets slower than its transmissions' Mins add up to (decision "Mins of a link that gets slower")."""

from __future__ import annotations

from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.units import US_PER_S
from hosts.sender_negotiation import Phase
from protocol.variant import DEPLOYABLE

HOP_US = 5_000
WAY = [("s1", 1), ("s2", 2), ("s3", 3)]
CAPACITIES_KBPS = {"s1": {1: 100_000}, "s2": {2: 36_000}, "s3": {3: 100_000}}


def network_of(*minimums_kbps: int) -> tuple[Network, list[Transmission]]:
    """One after the other, with these Mins."""
    network = Network(CAPACITIES_KBPS, HOP_US, 1_000, variant=DEPLOYABLE)
    senders = [
        Transmission(number, WAY, 200_000, HOP_US, min_kbps=minimum, is_deployable=True) for number, minimum in enumerate(minimums_kbps, 1)
    ]
    for sender in senders:
        network.start(sender)
        network.run(network.now_us + 2 * US_PER_S)
    return network, senders


def rates(senders: list[Transmission]) -> list[int]:
    return [sender.rate_kbps for sender in senders]


def test_the_last_that_came_is_ended_and_comes_back_when_there_is_room() -> None:
    network, senders = network_of(8_000, 8_000, 8_000)
    assert rates(senders) == [12_000] * 3

    def keeps_its_minimum(network: Network) -> None:
        assert min(rates(senders[:2])) >= 8_000

    network.set_capacity("s2", 2, 20_000)
    network.run(network.now_us + 200_000, keeps_its_minimum)
    assert senders[2].sender.phase is Phase.WAITING
    assert senders[2].rate_kbps == 0
    network.run(network.now_us + 6 * US_PER_S, keeps_its_minimum)
    assert rates(senders) == [10_000, 10_000, 0]
    assert [len(switch.records) for switch in network.switches.values()] == [2, 2, 2]
    said = [text for _, text in network.controllers["s2"].take_journal()]
    assert [text for text in said if "ended" in text] == [
        "s2 port 2: 10.0.0.3→10.128.0.3/3 ended: its Min of 8.0 Mbit/s does not fit any more"
    ]

    network.set_capacity("s2", 2, 36_000)
    network.run(network.now_us + 8 * US_PER_S, keeps_its_minimum)
    assert rates(senders) == [12_000] * 3


def test_who_has_no_minimum_makes_room_for_those_who_have() -> None:
    network, senders = network_of(12_000, 0, 0)
    network.set_capacity("s2", 2, 20_000)
    network.run(network.now_us + 4 * US_PER_S)
    assert rates(senders) == [12_000, 4_000, 4_000]
    assert network.switches["s2"].ports[2].sum_kbps == 20_000
    said = [text for _, text in network.controllers["s2"].take_journal()]
    assert not any("more than there is" in text for text in said)


def test_without_minimums_it_is_as_ever() -> None:
    network, senders = network_of(0, 0, 0)
    network.set_capacity("s2", 2, 18_000)
    network.run(network.now_us + 4 * US_PER_S)
    assert rates(senders) == [6_000] * 3
