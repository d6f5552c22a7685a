"""The deployable variant in whole networks: the sum let through never exceeds a port, with messages lost and controllers dead.

The cost of that is the time until everybody has its share. It stands beside the paper's, which gives a newcomer its rate at once.
"""

from __future__ import annotations

import random

import pytest

from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.units import US_PER_S
from protocol.variant import COMPLETE, DEPLOYABLE, Variant, VariantName

LOSS = 0.05
HOP_US = 5_000
WAY = [("s1", 1), ("s2", 2), ("s3", 3)]
CAPACITIES_KBPS = {"s1": {1: 100_000}, "s2": {2: 36_000}, "s3": {3: 100_000}}
BOTTLENECK_KBPS = 36_000
CHALLENGE_S = 2 * HOP_US / US_PER_S
"""To the first switch and back, once for each transmission."""
RTT_S = 2 * HOP_US * (len(WAY) + 1) / US_PER_S


class Watch:
    """Looks at each step: counts the time in which more is let through than the bottleneck carries; no switch reserves more than it has."""

    def __init__(self) -> None:
        self.above_us = 0
        self._since_us: int | None = None

    def __call__(self, network: Network) -> None:
        is_above = sum(map(network.let_through_kbps, network.transmissions.values())) > BOTTLENECK_KBPS
        if self._since_us is not None:
            self.above_us += network.now_us - self._since_us
        self._since_us = network.now_us if is_above else None
        for switch in network.switches.values():
            if switch.reserving is not None:
                assert not switch.reserving.overcommitted
                for number, port in switch.ports.items():
                    assert switch.reserving.reserved_sums_kbps[number] <= port.capacity_kbps


def network_of(variant: Variant, seed: int, loss: float = LOSS) -> tuple[Network, list[Transmission]]:
    chance = random.Random(seed)
    network = Network(CAPACITIES_KBPS, HOP_US, 1_000, lambda: chance.random() < loss, variant)
    senders = [Transmission(number, WAY, 200_000, HOP_US, is_deployable=(variant.basis is not VariantName.PAPER)) for number in range(1, 9)]
    return network, senders


def churn(variant: Variant, seed: int) -> tuple[Watch, Network, list[Transmission]]:
    """Six come, a second apart, and two go; the controllers are dead from 2.5 to 7.5 s; one message in twenty is lost on each link."""
    network, senders = network_of(variant, seed)
    for number, sender in enumerate(senders[:6]):
        network.after(number * US_PER_S + 1, lambda sender=sender: network.start(sender))  # type: ignore[misc]
    network.after(2_500_000, network.kill_controllers)
    network.after(7_500_000, network.restart_controllers)
    network.after(4_600_000, lambda: network.stop(senders[0]))
    network.after(9_000_000, lambda: network.stop(senders[1]))
    watch = Watch()
    network.run(30 * US_PER_S, watch)
    return watch, network, senders[2:6]


@pytest.mark.parametrize("seed", range(20))
def test_controllers_dead_and_messages_lost(seed: int) -> None:
    watch, network, staying = churn(DEPLOYABLE, seed)
    assert watch.above_us == 0
    assert network.lost > 0
    assert [sender.rate_kbps for sender in staying] == pytest.approx([BOTTLENECK_KBPS / 4] * 4, rel=0.02)


def test_the_paper_gives_out_too_much_then() -> None:
    """So that the test above can fail."""
    assert sum(churn(COMPLETE, seed)[0].above_us for seed in range(3)) > US_PER_S


def time_to_share_s(variant: Variant, number: int, loss: float = 0.0, seed: int = 0) -> tuple[float, float]:
    """From the start of the last of so many to its first rate, and to its share."""
    network, senders = network_of(variant, seed, loss)
    for sender in senders[: number - 1]:
        network.start(sender)
        network.run(network.now_us + 3 * US_PER_S)
    begin_us = network.now_us
    last = senders[number - 1]
    network.start(last)
    first_s = None
    while last.rate_kbps < 0.99 * BOTTLENECK_KBPS / number:
        network.run(network.now_us + 500)
        if first_s is None and last.rate_kbps:
            first_s = (network.now_us - begin_us) / US_PER_S
        assert network.now_us - begin_us < 10 * US_PER_S
    assert first_s is not None
    return first_s, (network.now_us - begin_us) / US_PER_S


@pytest.mark.parametrize("number", [1, 2, 3, 8])
def test_the_full_share_comes_two_round_trips_later(number: int) -> None:
    """A reduce reaches its sender, and its refresh the switch, in less than an RTT; the newcomer asks once an RTT."""
    _, paper_s = time_to_share_s(COMPLETE, number)
    _, deployable_s = time_to_share_s(DEPLOYABLE, number)
    assert paper_s == pytest.approx(RTT_S, abs=0.002)
    assert deployable_s <= CHALLENGE_S + (1 if number == 1 else 3) * RTT_S + 0.002


def test_what_others_have_given_up_by_then_is_granted_with_the_first_answer() -> None:
    """Where the narrow port is the first, its senders have heard of the newcomer, and answered, before the success is back."""
    capacities_kbps = {"s1": {1: BOTTLENECK_KBPS}, "s2": {2: 100_000}, "s3": {3: 100_000}}
    took_us = {}
    for is_on_the_way_back in (False, True):
        network = Network(capacities_kbps, HOP_US, 1_000, variant=DEPLOYABLE)
        network.grants_on_the_way_back = is_on_the_way_back
        first, newcomer = (Transmission(number, WAY, 200_000, HOP_US, is_deployable=True) for number in (1, 2))
        network.start(first)
        network.run(3 * US_PER_S)
        begin_us = network.now_us
        network.start(newcomer)
        while newcomer.rate_kbps < BOTTLENECK_KBPS // 2:
            network.run(network.now_us + 500)
        took_us[is_on_the_way_back] = network.now_us - begin_us
    assert took_us[True] == pytest.approx(1e6 * (CHALLENGE_S + RTT_S), abs=2_000)
    assert took_us[False] >= took_us[True] + 1e6 * RTT_S
