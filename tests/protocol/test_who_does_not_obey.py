"""Senders that keep what they were told to give up: the first switch holds them to it, and the others get their shares."""

from __future__ import annotations

import random
from collections.abc import Sequence
from operator import attrgetter

import pytest

from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.units import US_PER_S
from protocol.variant import DEPLOYABLE

HOP_US = 5_000
WAY = [("s1", 1), ("s2", 2), ("s3", 3)]
OTHER_WAY = [("s4", 4), ("s2", 2), ("s3", 3)]
BOTTLENECK_KBPS = 36_000
CAPACITIES_KBPS = {"s1": {1: 100_000}, "s2": {2: BOTTLENECK_KBPS}, "s3": {3: 100_000}, "s4": {4: 100_000}}
PATIENCE_S = 2


def is_never_too_much(network: Network) -> None:
    assert sum(map(network.let_through_kbps, network.transmissions.values())) <= BOTTLENECK_KBPS


def network_with_somebody_who_does_not_obey(
    seed: int, loss: float, others: Sequence[int] = (2, 3)
) -> tuple[Network, Transmission, list[Transmission]]:
    chance = random.Random(seed)
    network = Network(CAPACITIES_KBPS, HOP_US, 1_000, lambda: chance.random() < loss, DEPLOYABLE)
    deaf = Transmission(1, WAY, 200_000, HOP_US, is_deployable=True, obeys=False)
    newcomers = [Transmission(number, OTHER_WAY, 200_000, HOP_US, is_deployable=True) for number in others]
    network.start(deaf)
    network.run(3 * US_PER_S)
    assert deaf.rate_kbps == BOTTLENECK_KBPS
    for newcomer in newcomers:
        network.start(newcomer)
    return network, deaf, newcomers


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("loss", [0.0, 0.05])
def test_the_others_get_their_shares(loss: float, seed: int) -> None:
    network, deaf, others = network_with_somebody_who_does_not_obey(seed, loss)
    network.run(network.now_us + (PATIENCE_S if loss == 0 else 30) * US_PER_S, is_never_too_much)
    assert deaf.rate_kbps == BOTTLENECK_KBPS
    assert [*map(attrgetter("rate_kbps"), others)] == pytest.approx([BOTTLENECK_KBPS / 3] * 2, rel=0.01)
    assert network.let_through_kbps(deaf) == pytest.approx(BOTTLENECK_KBPS / 3, rel=0.01)


def test_who_waits_is_told_when_something_was_taken_back() -> None:
    """By itself it asks after 0.6 s and then after 1.3 s, or so."""
    network, _, (newcomer,) = network_with_somebody_who_does_not_obey(0, 0.0, [2])
    network.run(network.now_us + US_PER_S, is_never_too_much)
    assert newcomer.rate_kbps == BOTTLENECK_KBPS / 2


def test_nothing_is_taken_back_while_the_first_switch_has_not_heard_of_the_reduce() -> None:
    """No message of the reduce gets past s2; when they do, it is not the sender who obeys."""
    network, _, others = network_with_somebody_who_does_not_obey(0, 0.0)
    slow = network.switches["s1"]
    network.loses = lambda: True
    network.run(network.now_us + 10 * US_PER_S, is_never_too_much)
    assert slow.ports[1].sum_kbps == BOTTLENECK_KBPS
    assert [other.rate_kbps for other in others] == [0, 0]
    network.loses = lambda: False
    late = Transmission(4, OTHER_WAY, 200_000, HOP_US, is_deployable=True)
    network.start(late)
    network.run(network.now_us + PATIENCE_S * US_PER_S, is_never_too_much)
    assert late.rate_kbps > 0


def test_who_obeys_keeps_nothing_that_could_be_taken_back() -> None:
    network = Network(CAPACITIES_KBPS, HOP_US, 1_000, variant=DEPLOYABLE)
    senders = [Transmission(number, WAY, 200_000, HOP_US, is_deployable=True) for number in range(1, 6)]
    for sender in senders:
        network.start(sender)
        network.run(network.now_us + 2 * US_PER_S)
    said = [text for state in network.controllers.values() for _, text in state.take_journal()]
    assert any("reduced" in text for text in said)
    assert not any("taken back" in text for text in said)
