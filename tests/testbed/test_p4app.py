"""``p4app.json`` of p4-utils: addresses by strategy, links, programs of single switches, and what is said of mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from common.errors import UserError
from scenario.data_plane import with_paths
from scenario.scenario import Scenario
from testbed.tutorial.exercise import read_exercise
from testbed.tutorial.p4app import read_p4app
from topo.layout import plan_network
from topo.switch_files import switch_network

LINKS: list[Any] = [["h1", "s1"], ["s1", "s2", {"delay": "10ms", "bw": 5, "queue_length": 20}], ["h2", "s2"], ["client", "s2"]]
TOPOLOGY: dict[str, Any] = {
    "assignment_strategy": "mixed",
    "links": LINKS,
    "hosts": {"h1": {}, "h2": {}, "client": {}},
    "switches": {"s1": {"cli_input": "s1-commands.txt"}, "s2": {"p4_src": "other.p4"}},
}


def app(tmp_path: Path, **changes: Any) -> Path:
    for name in ("main.p4", "other.p4"):
        (tmp_path / name).write_text("")
    (tmp_path / "s1-commands.txt").write_text("table_set_default t drop\n")
    content = {"p4_src": "main.p4", "exec_scripts": [{"cmd": "./run.sh"}], "topology": TOPOLOGY | changes}
    (tmp_path / "p4app.json").write_text(json.dumps(content))
    return tmp_path


def scenario(folder: Path) -> Scenario:
    content = dict(read_exercise(folder).content)
    with_paths(content, folder)
    return Scenario.model_validate(content)


@pytest.mark.parametrize(
    ("strategy", "addresses"),
    [
        ("l2", {"h1": "10.0.0.1/16", "h2": "10.0.0.2/16", "client": "10.0.0.3/16"}),
        ("mixed", {"h1": "10.0.1.1/24", "h2": "10.0.2.2/24", "client": "10.0.2.3/24"}),
        ("l3", {"h1": "10.1.1.2/24", "h2": "10.2.2.2/24", "client": "10.2.3.2/24"}),
    ],
)
def test_addresses_follow_from_names_and_places(strategy: str, addresses: dict[str, str], tmp_path: Path) -> None:
    plan = plan_network(scenario(app(tmp_path, assignment_strategy=strategy)))
    assert {name: str(host.address) for name, host in plan.hosts.items()} == addresses
    assert {host.interface for host in plan.hosts.values()} == {"h1-eth0", "h2-eth0", "client-eth0"}
    assert plan.hosts["h2"].mac == "00:00:" + ":".join(f"{part:02x}" for part in plan.hosts["h2"].address.ip.packed)


def test_what_hosts_are_told(tmp_path: Path) -> None:
    setup = plan_network(scenario(app(tmp_path))).hosts["h2"].setup
    assert setup is not None
    assert setup.commands == (
        "ip route replace default via 10.0.2.254 dev h2-eth0",
        "ip neigh replace 10.0.2.254 lladdr 00:01:0a:00:02:02 dev h2-eth0 nud permanent",
        "ip neigh replace 10.0.2.3 lladdr 00:00:0a:00:02:03 dev h2-eth0 nud permanent",
    )


def test_links_ports_and_programs(tmp_path: Path) -> None:
    found = scenario(app(tmp_path))
    plan = plan_network(found)
    assert {name: sorted((port.number, port.peer) for port in one.ports) for name, one in plan.switches.items()} == {
        "s1": [(1, "h1"), (2, "s2")],
        "s2": [(1, "s1"), (2, "h2"), (3, "client")],
    }, "in the order of the links"
    trunk = plan.direction("s1", "s2")
    assert (trunk.rate_mbps, trunk.delay_ms, trunk.queue_packets) == (5, 10, 20)
    assert {name: (one.p4 and one.p4.name, [file.name for file in one.entries]) for name, one in found.switches.items()} == {
        "s1": ("main.p4", ["s1-commands.txt"]),
        "s2": ("other.p4", []),
    }
    assert read_exercise(tmp_path).first == ("sh ./run.sh",)
    assert read_exercise(tmp_path / "p4app.json").content == read_exercise(tmp_path).content


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({}, "topology is an object of names and values, not NoneType"),
        ({"topology": {"assignment_strategy": "l4"}}, "topology.assignment_strategy: 'l4' is not known"),
        ({"topology": {"links": [["h1"]]}}, "topology.links: ['h1'] is no link"),
        ({"topology": {"links": [["h1", "s1"]]}}, "topology.links: there is no 'h1'"),
        ({"topology": {"switches": {"s1": 1}}}, "topology.switches.s1 is an object of names and values, not int"),
    ],
)
def test_files_of_another_shape(content: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError) as raised:
        read_p4app(Path("p4app.json"), content)
    assert told in str(raised.value)


def test_a_cpu_port_comes_after_all_others_and_leads_to_an_interface_of_the_machine(tmp_path: Path) -> None:
    plan = plan_network(scenario(app(tmp_path, switches={"s1": {"cpu_port": True}, "s2": {"cpu_port": False}})))
    assert (plan.switches["s1"].machine_port, plan.switches["s1"].machine_interface) == (3, "s1-cpu-eth1")
    assert plan.switches["s2"].machine_interface is None
    s1, s2 = switch_network(plan, dict.fromkeys(plan.hosts, 1), None, tmp_path / "s", tmp_path)["switches"]
    assert s1["ports"][-1] == {"port": 3, "name": "s1-cpu", "tap": {"device": "s1-cpu-eth1"}}
    assert len(s2["ports"]) == 3
