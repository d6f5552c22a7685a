"""A transmission that is refused on one path asks on another before it waits (Algorithm 3, line 6): whole networks, event by event."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.units import US_PER_S
from hosts.path_turns import PathTurns
from hosts.sender_negotiation import Phase
from protocol.variant import COMPLETE, DEPLOYABLE, Variant

HOP_US = 5_000
FIRST, SECOND = [("s1", 1), ("s3", 3)], [("s2", 1), ("s3", 3)]
CAPACITIES_KBPS = {"s1": {1: 10_000}, "s2": {1: 20_000}, "s3": {3: 100_000}}
MIN_KBPS = 6_000
RTT_US = 2 * HOP_US * 3


def other(number: int, way: list[tuple[str, int]], variant: Variant, min_kbps: int = 8_000) -> Transmission:
    return Transmission(number, way, 100_000, HOP_US, min_kbps=min_kbps, is_deployable=variant is DEPLOYABLE)


@dataclass
class Chooser:
    """One transmission with several ways, as hosts/other_paths.py carries it out: each attempt is a subflow, from another address."""

    network: Network
    ways: list[list[tuple[str, int]]]
    variant: Variant
    attempts: list[Transmission] = field(default_factory=list)
    asked_us: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.turns = PathTurns(self.ways)
        self.ask()

    def ask(self) -> None:
        attempt = Transmission(
            100 + self.turns.attempt,
            self.turns.path,
            100_000,
            HOP_US,
            of=100,
            min_kbps=MIN_KBPS,
            is_deployable=self.variant is DEPLOYABLE,
            on_refused=self.refused,
        )
        self.attempts.append(attempt)
        self.asked_us.append(self.network.now_us)
        self.network.start(attempt)

    def refused(self) -> None:
        self.network.after(int(self.turns.refused() * US_PER_S), self.ask)

    @property
    def rates_kbps(self) -> list[int]:
        return [attempt.rate_kbps for attempt in self.attempts]


def settled(variant: Variant, *others: Transmission) -> Network:
    network = Network(CAPACITIES_KBPS, HOP_US, 1_000, variant=variant)
    for one in others:
        network.start(one)
        network.run(network.now_us + 3 * US_PER_S)
    return network


@pytest.mark.parametrize("variant", [COMPLETE, DEPLOYABLE])
def test_the_free_path_is_taken_at_once(variant: Variant) -> None:
    holder = other(1, FIRST, variant)
    network = settled(variant, holder)
    start_us = network.now_us
    chooser = Chooser(network, [FIRST, SECOND], variant)
    network.run(start_us + 4 * RTT_US)
    assert chooser.rates_kbps == [0, 20_000]
    assert chooser.asked_us[1] - start_us < RTT_US
    network.run(start_us + 20 * US_PER_S)
    assert holder.rate_kbps == 10_000
    assert chooser.rates_kbps == [0, 20_000]
    assert [attempt.sender.phase for attempt in chooser.attempts] == [Phase.REFUSED, Phase.ALLOCATED]
    assert [len(network.switches[name].records) for name in ("s1", "s2", "s3")] == [1, 1, 2], "nothing is left of what was refused"


@pytest.mark.parametrize("variant", [COMPLETE, DEPLOYABLE])
def test_where_all_are_full_it_waits_and_takes_whichever_becomes_free(variant: Variant) -> None:
    first, second = other(1, FIRST, variant), other(2, SECOND, variant, min_kbps=15_000)
    network = settled(variant, first, second)
    # Two more on the second path: no share there is left that is enough.
    more = [other(number, SECOND, variant, min_kbps=0) for number in (3, 4)]
    for one in more:
        network.start(one)
        network.run(network.now_us + 3 * US_PER_S)
    start_us = network.now_us
    chooser = Chooser(network, [FIRST, SECOND], variant)
    network.run(start_us + 4 * US_PER_S)
    assert set(chooser.rates_kbps) == {0}
    assert len(chooser.attempts) % 2 == 0
    waits_us = [later - earlier for earlier, later in zip(chooser.asked_us[1::2], chooser.asked_us[2::2], strict=False)]
    assert waits_us == [pytest.approx(wait_s * US_PER_S, abs=4 * RTT_US) for wait_s in (0.5, 1.0, 2.0)][: len(waits_us)]
    assert len(waits_us) >= 2
    network.stop(first)
    network.run(start_us + 12 * US_PER_S)
    assert chooser.rates_kbps[-1] == 10_000
    assert chooser.attempts[-1].way == FIRST
