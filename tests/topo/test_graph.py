"""Networks of any shape: which way packets go, and mistakes in a scenario's graph."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from common.errors import UserError
from scenario.links import Link
from scenario.topologies.graph import Graph
from tests.harness.scenario_file import load_scenario
from topo.controller_files import controller_network
from topo.layout import add_layout, plan_network
from topo.link_fields import link_fields
from topo.network_plan import NetworkPlan
from topo.routes import check_symmetric, way_between
from topo.switch_files import switch_network

MESH = Path(__file__).resolve().parents[2] / "scenario" / "examples" / "mesh.toml"
SQUARE: dict[str, Any] = {
    "kind": "graph",
    "switches": ["s1", "s2", "s3", "s4"],
    "attached": {"a": "s1", "b": "s3"},
    "access": {"rate_mbps": 100},
    "trunk": {"rate_mbps": 40, "delay_ms": 2},
    "links": [["s1", "s2"], ["s2", "s3"], ["s3", "s4"], ["s4", "s1"]],
}


def plan_of(**changes: Any) -> NetworkPlan:
    plan = NetworkPlan()
    add_layout(plan, Graph.model_validate(SQUARE | changes).layout())
    return plan


def test_all_shortest_ways_of_the_mesh_are_the_same_both_ways() -> None:
    scenario = load_scenario(MESH)
    assert isinstance(scenario.topology, Graph)
    plan = NetworkPlan()
    add_layout(plan, scenario.topology.model_copy(update={"routes": []}).layout())
    for first, second in combinations(plan.hosts, 2):
        check_symmetric(plan, first, second)
    # A grid: from one corner's neighbour to the opposite corner, as many links as rows and columns lie between.
    assert len(way_between(plan, "a", "u7")) == 2 + 1 + 2 + 3


def test_the_mesh_is_the_paper_s_in_numbers_and_its_routes_hold() -> None:
    scenario = load_scenario(MESH)
    plan = plan_network(scenario)
    assert (len(plan.switches), len(plan.hosts)) == (16, 10)
    assert {port.link.rate_mbps for switch in plan.switches.values() for port in switch.ports if port.peer_port} == {40}
    assert way_between(plan, "a", "u3") == ["a", "r5", "r1", "r2", "r3", "r4", "u3"]
    assert way_between(plan, "u3", "a") == ["u3", "r4", "r3", "r2", "r1", "r5", "a"]
    crossed = [set(pairwise(way)) for way in (way_between(plan, t.sender, t.receiver) for t in scenario.transmissions)]
    trunks = {link for way in crossed for link in way if link[0] in plan.switches and link[1] in plan.switches}
    users = {link: sum(link in way for way in crossed) for link in trunks}
    assert set(users.values()) == {1, 2, 3}, "links of its own, and shared ones"


def test_every_switch_knows_a_way_to_every_host_and_every_trunk_is_joined_in_memory() -> None:
    plan = plan_network(load_scenario(MESH))
    described = controller_network(plan, {})
    assert all(len(switch.routes) == len(plan.hosts) for switch in described.switches)
    network = switch_network(plan, dict.fromkeys(plan.hosts, 1), None, Path("/run/s.sock"), Path("/tmp"))
    peers = {(switch["name"], port["port"]): port["peer"] for switch in network["switches"] for port in switch["ports"] if "peer" in port}
    assert len(peers) == 2 * 24
    for (switch, port), peer in peers.items():
        assert peers[peer["switch"], peer["port"]] == {"switch": switch, "port": port}


def test_a_route_holds_both_ways_and_others_go_the_shortest_way() -> None:
    links = [*SQUARE["links"], ["s1", "s3"]]
    assert way_between(plan_of(links=links), "a", "b") == ["a", "s1", "s3", "b"]
    plan = plan_of(links=links, routes=[["a", "s1", "s4", "s3", "b"]])
    assert way_between(plan, "a", "b") == ["a", "s1", "s4", "s3", "b"]
    assert way_between(plan, "b", "a") == ["b", "s3", "s4", "s1", "a"]
    assert plan.ways_to("b")["s2"][0].peer == "s3"


def test_contradicting_routes_are_refused() -> None:
    attached = {"a": "s1", "c": "s1", "b": "s3"}
    plan = plan_of(attached=attached, routes=[["a", "s1", "s2", "s3", "b"], ["c", "s1", "s4", "s3", "b"]])
    with pytest.raises(UserError, match="at s1, packets for b already go to s2"):
        plan.ways_to("b")


def test_a_way_back_over_other_switches_is_refused() -> None:
    # From c to b by the route for b at s1, from b to c the shortest way.
    attached = {"a": "s1", "b": "s3", "c": "s4"}
    links = [*SQUARE["links"], ["s4", "s2"]]
    plan = plan_of(attached=attached, links=links, routes=[["c", "s4", "s1", "s2", "s3", "b"], ["a", "s1", "s4", "c"]])
    check_symmetric(plan, "b", "c")
    plan = plan_of(attached=attached, links=links, routes=[["a", "s1", "s4", "s2", "s3", "b"], ["a", "s1", "s4", "c"]])
    with pytest.raises(UserError, match="from c to b packets go c s4 s2 s3 b, but back b s3 s4 c"):
        check_symmetric(plan, "c", "b")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"switches": ["s1", "s2", "s3", "s4", "s1"]}, "'s1' is used twice"),
        ({"attached": {"a": "s1", "s2": "s3"}}, "'s2' is used twice"),
        ({"attached": {"a": "s9"}}, "attached to 's9', which is no switch"),
        ({"attached": {"averylonghostname": "s1"}}, "pattern"),
        ({"links": [["s1", "s9"]]}, "'s9' is no switch"),
        ({"links": [["s1", "s1"]]}, "the same switch"),
        ({"links": [["s1", "s2"], ["s2", "s1"]]}, "there is one already"),
        ({"links": [["s1", "s2"], ["s3", "s4"]]}, "no way from 's1' to 's3'"),
        ({"trunk": None}, "no parameters"),
        ({"routes": [["a", "s1"]]}, "leads from a host over switches to another host"),
        ({"routes": [["a", "s1", "s3", "b"]]}, "there is no link s1-s3"),
        ({"routes": [["a", "s1", "s2", "s1", "s4", "s3", "b"]]}, "passes a place twice"),
    ],
)
def test_wrong_graphs_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Graph.model_validate(SQUARE | changes)


def test_a_link_may_have_parameters_of_its_own() -> None:
    links = [{"between": ["s1", "s2"], "link": {"rate_mbps": 7}}, *SQUARE["links"][1:]]
    plan = plan_of(links=links)
    assert plan.switches["s1"].port_to("s2").link.rate_mbps == 7
    assert plan.switches["s2"].port_to("s1").link.rate_mbps == 7
    assert plan.switches["s1"].port_to("s2").link.delay_ms == 2, "what it does not say, it has from all trunks"
    assert plan.switches["s2"].port_to("s3").link.rate_mbps == 40


def test_each_direction_may_be_another() -> None:
    links = [{"between": ["s1", "s2"], "link": {"loss_percent": 3, "reverse": {"loss_percent": 0, "delay_ms": 9}}}, *SQUARE["links"][1:]]
    plan = plan_of(links=links, access={"rate_mbps": 100, "reverse": {"rate_mbps": 10}})
    assert (plan.direction("s1", "s2").loss, plan.direction("s2", "s1").loss) == (0.03, 0)
    assert (plan.direction("s1", "s2").delay_ms, plan.direction("s2", "s1").delay_ms) == (2, 9)
    assert (plan.direction("a", "s1").rate_mbps, plan.direction("s1", "a").rate_mbps) == (100, 10)
    assert len(plan.directions()) == len(set(plan.directions())) == 2 * (4 + 2)


def test_filtered_losses_reach_the_link_model_of_either_direction() -> None:
    loss = {"filter": "udp port 4747", "loss_percent": 5}
    plan = plan_of(access={"rate_mbps": 100, "filtered_loss": [loss]})
    network = switch_network(plan, dict.fromkeys(plan.hosts, 1), None, Path("/run/s.sock"), Path("/tmp"))
    ports = [port for switch in network["switches"] for port in switch["ports"]]
    expected = [{"filter": "udp port 4747", "loss": 0.05}]
    assert [port[side]["filtered_loss"] for port in ports if "tap" in port for side in ("egress", "ingress")] == [expected] * 4
    assert [port["egress"]["filtered_loss"] for port in ports if "peer" in port] == [[]] * 8
    assert {port["egress"]["loss"] for port in ports} == {0.0}


@pytest.mark.parametrize(
    ("link", "model"),
    [
        ({"loss_percent": 2}, 0.02),
        ({"byte_error_rate": 1e-6}, {"per_byte": 1e-6}),
        (
            {"burst_loss": {"enter_percent": 1, "leave_percent": 25}},
            {"gilbert_elliott": {"p": 0.01, "r": 0.25, "loss_good": 0.0, "loss_bad": 1.0}},
        ),
    ],
)
def test_loss_models_as_the_link_model_takes_them(link: dict[str, Any], model: object) -> None:
    assert link_fields(Link.model_validate({"rate_mbps": 1} | link).there)["loss"] == model


def test_jitter_reaches_the_link_model() -> None:
    plan = plan_of(access={"rate_mbps": 100, "jitter_us": 20, "reverse": {"jitter_us": 0}})
    network = switch_network(plan, dict.fromkeys(plan.hosts, 1), None, Path("/run/s.sock"), Path("/tmp"))
    ports = [port for switch in network["switches"] for port in switch["ports"]]
    assert [(port["ingress"]["jitter_us"], port["egress"]["jitter_us"]) for port in ports if "tap" in port] == [(20, 0)] * 2
    assert {port["egress"]["jitter_us"] for port in ports if "peer" in port} == {0.0}


def test_a_trace_as_the_link_model_takes_it() -> None:
    trace = [{"at_s": 0, "rate_mbps": 8}, {"at_s": 2.5, "delay_ms": 3, "loss_percent": 1}]
    fields = link_fields(Link.model_validate({"rate_mbps": 1, "trace": trace, "trace_repeats_after_s": 4}).there)
    assert fields["trace"] == [{"at_s": 0, "rate_bps": 8_000_000}, {"at_s": 2.5, "delay_us": 3000, "loss": 0.01}, {"at_s": 4}]
    assert fields["trace_repeats"]
