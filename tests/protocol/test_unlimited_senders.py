"""Senders that do not say how much they can send at most: the network answers with the rate that it has."""

from __future__ import annotations

from bench.studies.simulated_network.network_simulation import Network, Transmission
from protocol.wire import MAX_RATE_KBPS

HOP_US = 5_000
CONTROLLER_US = 1_000
SETTLED_US = 8_000_000


def rates_after(changes: list[tuple[int, str, Transmission]], transmissions: list[Transmission], until_us: int = SETTLED_US) -> list[int]:
    """Rates of transmissions over s1 (36 Mbit/s) and s2 (24 Mbit/s) when all has settled."""
    network = Network({"s1": {1: 36_000}, "s2": {2: 24_000}}, HOP_US, CONTROLLER_US)
    for at_us, what, transmission in changes:
        network.after(at_us, lambda what=what, transmission=transmission: getattr(network, what)(transmission))  # type: ignore[misc]

    def check(now: Network) -> None:
        for name, switch in now.switches.items():
            if now.under_way[name] == 0:
                assert all(port.sum_kbps <= port.capacity_kbps for port in switch.ports.values()), f"{name} at {now.now_us} µs"

    network.run(until_us, check)
    return [transmission.rate_kbps for transmission in transmissions]


def test_they_share_a_port_and_take_what_is_freed() -> None:
    three = [Transmission(number, [("s1", 1)], MAX_RATE_KBPS, HOP_US) for number in (1, 2, 3)]
    starts = [(1_000_000 * number, "start", one) for number, one in enumerate(three)]
    assert rates_after(starts, three) == [12_000] * 3
    fresh = [Transmission(number, [("s1", 1)], MAX_RATE_KBPS, HOP_US) for number in (1, 2, 3)]
    starts = [(1_000_000 * number, "start", one) for number, one in enumerate(fresh)]
    assert rates_after([*starts, (4_000_000, "stop", fresh[0])], fresh) == [0, 18_000, 18_000]


def test_one_alone_gets_the_narrowest_link_of_its_way() -> None:
    alone = Transmission(1, [("s1", 1), ("s2", 2)], MAX_RATE_KBPS, HOP_US)
    assert rates_after([(0, "start", alone)], [alone]) == [24_000]


def test_beside_one_that_wants_little_they_get_the_rest() -> None:
    modest, greedy = Transmission(1, [("s1", 1)], 6_000, HOP_US), Transmission(2, [("s1", 1)], MAX_RATE_KBPS, HOP_US)
    assert rates_after([(0, "start", modest), (1_000_000, "start", greedy)], [modest, greedy]) == [6_000, 30_000]
    modest, greedy = Transmission(1, [("s1", 1)], 6_000, HOP_US), Transmission(2, [("s1", 1)], MAX_RATE_KBPS, HOP_US)
    assert rates_after([(0, "start", greedy), (1_000_000, "start", modest)], [modest, greedy]) == [6_000, 30_000]


def test_subflows_share_what_their_transmission_gets() -> None:
    first, second = (Transmission(number, [("s1", 1)], MAX_RATE_KBPS, HOP_US, of=1) for number in (1, 2))
    other = Transmission(3, [("s1", 1)], MAX_RATE_KBPS, HOP_US)
    rates = rates_after([(0, "start", first), (1_000_000, "start", second), (2_000_000, "start", other)], [first, second, other])
    assert rates[2] == 18_000
    assert sum(rates[:2]) == 18_000
    assert min(rates[:2]) > 0
