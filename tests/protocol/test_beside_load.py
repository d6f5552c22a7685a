"""Transmissions that negotiate beside data that nobody has negotiated, in a whole network (decision "the measured load")."""

from __future__ import annotations

import pytest

from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.units import US_PER_S
from controller.records import WORTHWHILE_CHANGE
from protocol.variant import DEPLOYABLE

HOP_US = 5_000
WAY = [("s1", 1), ("s2", 2)]
BOTTLENECK_KBPS = 36_000
LEAST_KBPS = 9_000
CAPACITIES_KBPS = {"s1": {1: 100_000}, "s2": {2: BOTTLENECK_KBPS}}
NOT_WORTH_IT_KBPS = BOTTLENECK_KBPS / WORTHWHILE_CHANGE
FRAME_BYTES = 1500
SOON_US = 4 * US_PER_S
"""A window and more to measure, a second till it is read, and then the messages."""


class OrdinaryTraffic:
    """Sends by the bottleneck at a rate until it is told otherwise, whatever others do."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self.rate_kbps = 0
        self._send()

    def _send(self) -> None:
        network = self._network
        switch = network.switches["s2"]
        assert switch.reserving is not None
        if self.rate_kbps:
            switch.reserving.note_departure(2, FRAME_BYTES, network.now_us)
        network.after(FRAME_BYTES * 8_000 // (self.rate_kbps or 1000), self._send)


@pytest.fixture
def network() -> Network:
    return Network(CAPACITIES_KBPS, HOP_US, 1_000, variant=DEPLOYABLE, least_kbps={("s2", 2): LEAST_KBPS})


def negotiating(number: int) -> Transmission:
    return Transmission(number, WAY, 200_000, HOP_US, is_deployable=True)


def test_two_share_what_others_leave_and_get_it_back(network: Network) -> None:
    others = OrdinaryTraffic(network)
    senders = [negotiating(1), negotiating(2)]
    for sender in senders:
        network.start(sender)
        network.run(network.now_us + 2 * US_PER_S)

    def rates_become(total_kbps: int) -> None:
        network.run(network.now_us + SOON_US)
        assert [sender.rate_kbps for sender in senders] == pytest.approx([total_kbps / 2] * 2, abs=NOT_WORTH_IT_KBPS / 2)

    rates_become(BOTTLENECK_KBPS)
    others.rate_kbps = 12_000
    rates_become(BOTTLENECK_KBPS - 12_000)
    others.rate_kbps = 34_000
    rates_become(LEAST_KBPS)
    others.rate_kbps = 0
    rates_become(BOTTLENECK_KBPS)
    said = [text for _, text in network.controllers["s2"].take_journal()]
    assert "s2 port 2: others send 27.0 Mbit/s at least, 9.0 of 36.0 are divided" in said


def test_small_ups_and_downs_are_worth_no_message(network: Network) -> None:
    others = OrdinaryTraffic(network)
    others.rate_kbps = 12_000
    network.run(SOON_US)
    sender = negotiating(1)
    network.start(sender)
    network.run(network.now_us + SOON_US)
    exchanged = sender.received.total() - sender.sender.counters.refreshes
    for rate_kbps in (12_300, 11_800, 12_200, 12_000) * 3:
        others.rate_kbps = rate_kbps
        network.run(network.now_us + 2 * US_PER_S)
    assert sender.received.total() - sender.sender.counters.refreshes == exchanged


def test_a_controller_that_comes_anew_learns_it(network: Network) -> None:
    others = OrdinaryTraffic(network)
    sender = negotiating(1)
    network.start(sender)
    network.run(3 * US_PER_S)
    network.kill_controllers()
    others.rate_kbps = 18_000
    network.run(network.now_us + SOON_US)
    assert sender.rate_kbps == BOTTLENECK_KBPS
    network.restart_controllers()
    network.run(network.now_us + SOON_US)
    assert sender.rate_kbps == pytest.approx(BOTTLENECK_KBPS - 18_000, abs=NOT_WORTH_IT_KBPS)
