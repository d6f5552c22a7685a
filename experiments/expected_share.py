"""What each transmission of a scenario would get of an ideal allocation, to be shown beside what it got."""

from __future__ import annotations

from itertools import pairwise

from scenario.fair_share import max_min_shares
from scenario.file import Scenario
from topo.layout import plan_network
from topo.routes import way_between

ETHERNET_HEADER_BYTES = 14
HEADERS_BYTES = 52
"""IPv4, TCP and the time stamp option: what a full packet carries besides payload."""


def expected_shares_mbps(scenario: Scenario) -> dict[str, float]:
    """Max-min fair shares of the transmissions that are measured together, in Mbit/s of payload.

    Subflows that pass the same links between switches count as one; what a transmission has on different paths adds up.
    """
    plan = plan_network(scenario)
    ways: dict[str, list[tuple[str, str]]] = {}
    names: dict[str, str] = {}
    capacities: dict[tuple[str, str], float] = {}
    for transmission in scenario.transmissions:
        if transmission.name not in scenario.measured_together:
            continue
        for interface in plan.interfaces(transmission.sender) if transmission.multipath else [plan.hosts[transmission.sender]]:
            way = list(pairwise(way_between(plan, interface.name, transmission.receiver)))
            ways[f"{transmission.name} {way[1:]}"] = way
            names[f"{transmission.name} {way[1:]}"] = transmission.name
            for here, there in way:
                port = plan.switches[here].port_to(there) if here in plan.switches else plan.switches[there].port_to(here)
                capacities[here, there] = port.link.rate_mbps
    shares = dict.fromkeys(names.values(), 0.0)
    for way_name, share in max_min_shares(ways, capacities).items():
        shares[names[way_name]] += share * payload_share(scenario)
    return shares


def payload_share(scenario: Scenario) -> float:
    """Payload bytes of a full packet over its frame bytes."""
    return (scenario.packet_bytes - HEADERS_BYTES) / (scenario.packet_bytes + ETHERNET_HEADER_BYTES)
