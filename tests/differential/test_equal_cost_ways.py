"""Several equally short ways: the switch takes the one that topo/equal_cost_ways.py computes, and the same for answers."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from tests.harness.nodectl_switch import neighbour_mac, switch_mac
from tests.harness.switches import COMPILERS, REPOSITORY, Combination, EmbeddedSwitch, P4Switch, compile_program, require
from topo.equal_cost_ways import seed_of_ways, shift_of, way_number

SPREADS = ((3, 0, 1), (4, 1, 7), (8, 2, 2**31))
"""Ways, layer and seed of each group; its network is 10.GROUP.0.0/16."""


@pytest.fixture(scope="module", params=COMPILERS)
def switch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedSwitch]:
    """A switch on which two networks of senders and receivers have several ways to each other."""
    require(Combination(request.param, "embedded"))
    started = EmbeddedSwitch(compile_program(REPOSITORY / "p4src" / "ecn.p4", tmp_path_factory.mktemp("ways"), request.param))
    for group, (ways, layer, seed) in enumerate(SPREADS, start=1):
        match = [{"lpm": [f"0a{group:02x}0000", 16]}]
        started.add_entry("ipv4_lpm", match, "spread", [group, seed_of_ways(seed), shift_of(layer), ways])
        for way in range(ways):
            macs = [int(mac.replace(":", ""), 16) for mac in (switch_mac(way + 1), neighbour_mac(way + 1))]
            started.add_entry("equal_cost_ways", [{"exact": f"{group:04x}"}, {"exact": f"{way:04x}"}], "forward", [way + 1, *macs])
    yield started
    started.close()


def way_taken(switch: P4Switch, source: IPv4Address, destination: IPv4Address) -> int:
    sent = Ether(src=neighbour_mac(9), dst=switch_mac(9)) / IP(src=str(source), dst=str(destination)) / UDP(sport=1, dport=2)
    ((port, (frame,)),) = switch.send(9, bytes(sent), 0).items()
    assert Ether(frame).dst == neighbour_mac(port)
    return port - 1


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(group=st.integers(1, len(SPREADS)), first=st.integers(0, 2**16 - 1), second=st.integers(0, 2**16 - 1))
def test_the_way_is_the_computed_one_in_both_directions(switch: EmbeddedSwitch, group: int, first: int, second: int) -> None:
    ways, layer, seed = SPREADS[group - 1]
    one, other = (IPv4Address((10 << 24) + (group << 16) + low) for low in (first, second))
    expected = way_number(one, other, seed_of_ways(seed), shift_of(layer), ways)
    assert way_taken(switch, one, other) == way_taken(switch, other, one) == expected
