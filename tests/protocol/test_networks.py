"""The two invariants of whole networks, with the real controllers and senders over reference models.

Once the reduces of an allocation are out, no port's records add up to more than its capacity. After any arrival or
departure the network settles with a bounded number of messages a transmission.
"""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.studies.simulated_network.network_simulation import Network, Transmission, without_refreshes
from protocol.wire import MAX_RATE_KBPS, MessageType
from tests.harness.long_tests import examples

HOP_US = 5_000
PORTS = [("s1", 1), ("s2", 2), ("s3", 3)]
SETTLED_US = 30_000_000
MESSAGES_PER_CHANGE = 8
"""Messages that a transmission may have to exchange because somebody (it itself, too) came or went. On average there are far fewer."""


def check_sums(network: Network) -> None:
    for name, switch in network.switches.items():
        if network.under_way[name] == 0:
            for number, port in switch.ports.items():
                assert port.sum_kbps <= port.capacity_kbps, f"{name} port {number} at {network.now_us} µs"


@st.composite
def plans(draw: st.DrawFn) -> list[tuple[int, int | None, list[tuple[str, int]], int]]:
    """(start, end, way, wanted rate) of each transmission."""
    plan = []
    for _ in range(draw(st.integers(2, 10))):
        start_us = draw(st.integers(0, 4_000_000))
        lasts_us = draw(st.one_of(st.none(), st.integers(100_000, 3_000_000)))
        way = sorted(draw(st.lists(st.sampled_from(PORTS), min_size=1, max_size=3, unique=True)))
        wanted_kbps = draw(st.sampled_from([MAX_RATE_KBPS, 200_000, 12_345, 4_321]))
        plan.append((start_us, None if lasts_us is None else start_us + lasts_us, way, wanted_kbps))
    return plan


@settings(max_examples=examples(40), deadline=None)
@given(plan=plans(), middle_kbps=st.sampled_from([20_000, 36_000, 50_000]), controller_us=st.sampled_from([100, 1_000, 20_000]))
def test_networks_stay_within_capacity_and_settle(
    plan: list[tuple[int, int | None, list[tuple[str, int]], int]], middle_kbps: int, controller_us: int
) -> None:
    network = Network({"s1": {1: 36_000}, "s2": {2: middle_kbps}, "s3": {3: 30_000}}, HOP_US, controller_us)
    transmissions = []
    changes = 0
    for number, (start_us, end_us, way, wanted_kbps) in enumerate(plan):
        transmission = Transmission(number + 1, way, wanted_kbps, HOP_US)
        transmissions.append(transmission)
        network.after(start_us, lambda transmission=transmission: network.start(transmission))  # type: ignore[misc]
        changes += 1
        if end_us is not None:
            network.after(end_us, lambda transmission=transmission: network.stop(transmission))  # type: ignore[misc]
            changes += 1
    network.run(SETTLED_US, check_sums)

    for name, port in PORTS:
        sent_kbps = sum(transmission.rate_kbps for transmission in transmissions if transmission.crosses(name, port))
        assert sent_kbps == network.switches[name].ports[port].sum_kbps, f"records of {name} and what is sent differ"
    for transmission in transmissions:
        received: Counter[MessageType] = Counter(transmission.received)
        received[MessageType.SUCCESS] -= transmission.sender.counters.refreshes
        assert received.total() <= MESSAGES_PER_CHANGE * changes
        assert received[MessageType.FAILURE] == 0

    # Settled: nobody changes its rate any more, refreshes apart nothing is sent.
    quiet_since_us = network.last_change_us
    assert quiet_since_us < SETTLED_US - 10_000_000
    before = [without_refreshes(transmission) for transmission in transmissions]
    network.run(SETTLED_US + 20_000_000, check_sums)
    after = [without_refreshes(transmission) for transmission in transmissions]
    assert before == after
    assert network.last_change_us == quiet_since_us


def test_the_papers_figure_9() -> None:
    """Three transmissions start 5 s apart, then two go: 36, 18, 12, 12 → 18 → 36 Mbit/s."""
    network = Network({"s1": {1: 36_000}}, HOP_US, 500)
    way = [("s1", 1)]
    a, b, c = (Transmission(number, way, 200_000, HOP_US) for number in (1, 2, 3))
    for number, transmission in enumerate((a, b, c)):
        network.after(number * 5_000_000, lambda transmission=transmission: network.start(transmission))  # type: ignore[misc]
    network.after(16_000_000, lambda: network.stop(c))
    network.after(21_000_000, lambda: network.stop(b))
    for until_us, rates in (
        (1_000_000, (36_000, 0, 0)),
        (6_000_000, (18_000, 18_000, 0)),
        (11_000_000, (12_000, 12_000, 12_000)),
        (17_000_000, (18_000, 18_000, 0)),
        (22_000_000, (36_000, 0, 0)),
    ):
        network.run(until_us, check_sums)
        assert (a.rate_kbps, b.rate_kbps, c.rate_kbps) == rates
    assert (a.received[MessageType.REDUCE], a.received[MessageType.INCREASE]) == (2, 2)


def test_forty_share_and_each_is_reduced_once_for_every_newcomer() -> None:
    network = Network({"s1": {1: 1_000_000}}, HOP_US, 500)
    transmissions = [Transmission(number + 1, [("s1", 1)], 2_000_000, HOP_US) for number in range(40)]
    for number, transmission in enumerate(transmissions):
        network.after(number * 3_000_000, lambda transmission=transmission: network.start(transmission))  # type: ignore[misc]
    network.run(130_000_000, check_sums)
    for number, transmission in enumerate(transmissions):
        assert abs(transmission.rate_kbps - 25_000) <= 40
        assert transmission.received[MessageType.REDUCE] <= 40 - number
        assert transmission.received[MessageType.INCREASE] <= 2
