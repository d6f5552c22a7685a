"""Negotiation under loss: every link loses one message in twenty, and everybody still gets its share, late at most by the retries."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.units import US_PER_S
from hosts.sender_negotiation import Phase, Timing
from protocol.constants import RECORD_TIMEOUT_S, REFRESH_INTERVAL_S

LOSS = 0.05
HOP_US = 5_000
WAY = [("s1", 1), ("s2", 2), ("s3", 3)]
"""With the links to the hosts, four links each way: one question in three stays without an answer at first."""
BOTTLENECK_KBPS = 36_000
SEEDS = range(40)

RETRIES_S = Timing().tries * Timing().timeout_max_s
"""The time for which a sender asks."""
HEALED_S = max(RETRIES_S, RECORD_TIMEOUT_S) + REFRESH_INTERVAL_S
"""If both terminates are lost, the record goes when it expires; its rate is then offered."""


def start_together(network: Network, transmissions: Sequence[Transmission], gap_us: int) -> None:
    for number, transmission in enumerate(transmissions):
        network.after(number * gap_us, lambda transmission=transmission: network.start(transmission))  # type: ignore[misc]


def time_until_all_have(network: Network, transmissions: Sequence[Transmission], share_kbps: int, limit_s: float) -> float:
    """Seconds from now until they have their share, which they keep to the end of the limit."""
    begin_us, reached_us = network.now_us, None
    for step in range(int(limit_s * 10) + 1):
        network.run(begin_us + step * US_PER_S // 10)
        has_all = all(abs(transmission.rate_kbps - share_kbps) <= share_kbps // timing_gain() for transmission in transmissions)
        reached_us = (reached_us if reached_us is not None else network.now_us) if has_all else None
    assert reached_us is not None, f"after {limit_s} s: {[transmission.rate_kbps for transmission in transmissions]}"
    return (reached_us - begin_us) / US_PER_S


def timing_gain() -> int:
    """Differences below this part of the rate are not offered."""
    from controller.decisions import WORTHWHILE_GAIN

    return WORTHWHILE_GAIN


@pytest.mark.parametrize("seed", SEEDS)
def test_everybody_gets_its_share_though_messages_are_lost(seed: int) -> None:
    chance = random.Random(seed)
    capacities = {"s1": {1: 100_000}, "s2": {2: BOTTLENECK_KBPS}, "s3": {3: 100_000}}
    network = Network(capacities, HOP_US, 1_000, lambda: chance.random() < LOSS)
    transmissions = [Transmission(number, WAY, 200_000, HOP_US) for number in range(1, 5)]
    start_together(network, transmissions, 2 * US_PER_S)
    network.run(6 * US_PER_S)
    late_s = time_until_all_have(network, transmissions, BOTTLENECK_KBPS // 4, 14.0)
    assert late_s <= RETRIES_S
    network.stop(transmissions[-1])
    time_until_all_have(network, transmissions[:-1], BOTTLENECK_KBPS // 3, HEALED_S)
    assert network.lost > 0
    assert {transmission.sender.phase for transmission in transmissions[:-1]} == {Phase.ALLOCATED}


def test_the_same_without_loss_takes_two_round_trips() -> None:
    network = Network({"s1": {1: 100_000}, "s2": {2: BOTTLENECK_KBPS}, "s3": {3: 100_000}}, HOP_US, 1_000)
    transmissions = [Transmission(number, WAY, 200_000, HOP_US) for number in range(1, 5)]
    start_together(network, transmissions, 2 * US_PER_S)
    network.run(6 * US_PER_S)
    assert time_until_all_have(network, transmissions, BOTTLENECK_KBPS // 4, 2.0) <= 0.1
    assert network.lost == 0
