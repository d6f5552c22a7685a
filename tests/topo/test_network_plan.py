"""Network plans: addresses, ports, routes, and the descriptions for the switch and the controller."""

from pathlib import Path

import pytest

from scenario.links import Link
from tests.harness.scenario_file import load_scenario
from topo.controller_files import controller_network
from topo.layout import plan_network
from topo.network_plan import NetworkPlan
from topo.switch_files import link_network, switch_network

SCENARIO = Path(__file__).resolve().parents[2] / "scenario" / "examples" / "staggered.toml"
LINK = Link(rate_mbps=10, delay_ms=1)


@pytest.fixture
def dumbbell() -> NetworkPlan:
    return plan_network(load_scenario(SCENARIO))


def test_dumbbell_has_senders_left_and_receivers_right(dumbbell: NetworkPlan) -> None:
    assert [port.peer for port in dumbbell.switches["s1"].ports] == ["h1", "h2", "h3", "s2"]
    assert [port.peer for port in dumbbell.switches["s2"].ports] == ["h4", "h5", "h6", "s1"]
    trunk = dumbbell.switches["s1"].port_to("s2")
    assert (trunk.number, trunk.peer_port) == (4, 4)
    assert trunk.link.rate_bps == 36_000_000
    assert trunk.link.queue_packets == 100


def test_routes_lead_over_the_trunk_to_the_other_side(dumbbell: NetworkPlan) -> None:
    described = controller_network(dumbbell, {"10.0.0.1>10.0.0.4": "A"})
    first = described.switches[0]
    by_prefix = {str(route.prefix): route for route in first.routes}
    assert by_prefix["10.0.0.1/32"].port == 1
    assert by_prefix["10.0.0.1/32"].destination_mac == dumbbell.hosts["h1"].mac
    assert by_prefix["10.0.0.4/32"].port == 4
    assert by_prefix["10.0.0.4/32"].destination_mac == dumbbell.switches["s2"].port_mac(4)
    assert {port.port: port.capacity_bps for port in first.ports}[4] == 36_000_000


def test_shortest_path_in_a_mesh_with_a_detour() -> None:
    plan = NetworkPlan()
    for name in ("s1", "s2", "s3"):
        plan.add_switch(name)
    plan.add_host("h1", "s1", LINK)
    plan.add_host("h2", "s3", LINK)
    plan.add_trunk("s1", "s2", LINK)
    plan.add_trunk("s2", "s3", LINK)
    plan.add_trunk("s1", "s3", LINK)
    hops = plan.ways_to("h2")
    assert hops["s1"][0].peer == "s3"
    assert hops["s2"][0].peer == "s3"
    assert hops["s3"][0].peer == "h2"


def test_every_direction_of_every_link_is_modelled_once(dumbbell: NetworkPlan) -> None:
    pids = {name: 1000 + host.number for name, host in dumbbell.hosts.items()}
    network = switch_network(dumbbell, pids, None, Path("/run/s.sock"), Path("/tmp"))
    seeds = []
    for switch in network["switches"]:
        for port in switch["ports"]:
            seeds.append(port["egress"]["seed"])
            assert ("tap" in port) == ("ingress" in port) != ("peer" in port)
            if "ingress" in port:
                seeds.append(port["ingress"]["seed"])
    assert len(set(seeds)) == len(seeds) == 2 * (6 + 1)


def test_unknown_neighbour_is_said() -> None:
    plan = NetworkPlan()
    switch = plan.add_switch("s1")
    with pytest.raises(KeyError, match="s1 has no port to h9"):
        switch.port_to("h9")


def test_links_beside_bmv2_are_the_same_links(dumbbell: NetworkPlan) -> None:
    pids = {name: 1000 + host.number for name, host in dumbbell.hosts.items()}
    embedded = switch_network(dumbbell, pids, None, Path("/run/s.sock"), Path("/tmp"))
    beside = link_network(dumbbell, pids, Path("/run/s.sock"), Path("/tmp"))
    for ours, other in zip(embedded["switches"], beside["switches"], strict=True):
        assert "grpc_addr" not in other
        for port in other["ports"]:
            assert port.pop("switch_side") == {"device": f"{other['name']}-eth{port['port']}"}
        assert ours["ports"] == other["ports"]
