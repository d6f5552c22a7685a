"""Hosts with several interfaces: their plan, their routes, and their description in scenario files."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from tests.harness.scenario_file import load_scenario
from topo.controller_files import controller_network
from topo.layout import plan_network
from topo.routes import way_between

SCENARIOS = Path("scenario/examples")


def test_two_access_links_of_one_host() -> None:
    plan = plan_network(load_scenario(SCENARIOS / "shared_bottleneck.toml"))
    first, second = plan.interfaces("h2")
    assert (first.interface, second.interface) == ("h2-eth0", "h2-eth1")
    assert first.ip != second.ip
    assert first.mac != second.mac
    assert (second.name, second.node) == ("h2.1", "h2")
    assert way_between(plan, "h2.1", "h4") == ["h2.1", "s1", "s2", "h4"]
    assert plan.is_multipath
    routes = {route.prefix.network_address.exploded: route.port for route in controller_network(plan, {}).switches[0].routes}
    assert routes[first.ip] != routes[second.ip]


def test_disjoint_paths() -> None:
    scenario = load_scenario(SCENARIOS / "two_paths.toml")
    plan = plan_network(scenario)
    assert way_between(plan, "h1", "h2") == ["h1", "s1", "s3", "h2"]
    assert way_between(plan, "h1.1", "h2") == ["h1.1", "s2", "s3", "h2"]


def test_hosts_with_one_interface_are_as_before() -> None:
    plan = plan_network(load_scenario(SCENARIOS / "staggered.toml"))
    assert not plan.is_multipath
    assert all(host.name == host.node and host.interface == f"{host.name}-eth0" for host in plan.hosts.values())


@pytest.mark.parametrize(
    ("scenario", "old", "new", "complaint"),
    [
        ("shared_bottleneck", "{ h2 = 1 }", "{ h9 = 1 }", "there is no host 'h9'"),
        ("shared_bottleneck", "{ h2 = 1 }", "{ h2 = 8 }", "key `h2`: 8 is not allowed; it takes a whole number, 1 or more, at most 7"),
        ("two_paths", 'h1 = ["s2"]', 'h1 = ["s9"]', "'s9', which is no switch"),
        ("two_paths", 'h1 = ["s2"]', 'h7 = ["s2"]', "there is no host 'h7'"),
        ("two_paths", "multipath = true", "multipath = true\nother_paths = true", "with multipath it goes over all paths"),
        ("other_path", "other_paths = true", "multipath = true\nother_paths = true", "with multipath it goes over all paths"),
        ("other_path", 'more_interfaces = { h1 = ["s2"] }', "", "other_paths is for hosts with more_interfaces, and h1 has one alone"),
    ],
)
def test_mistakes_in_scenario_files(tmp_path: Path, scenario: str, old: str, new: str, complaint: str) -> None:
    text = (SCENARIOS / f"{scenario}.toml").read_text()
    assert old in text
    file = tmp_path / "wrong.toml"
    file.write_text(text.replace(old, new))
    with pytest.raises(UserError, match=complaint):
        load_scenario(file)
