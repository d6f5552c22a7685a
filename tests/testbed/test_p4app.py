"""``p4app.json`` of p4-utils: addresses by strategy, links, programs of single switches, and the messages about mistakes."""

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
        ("mixed", {"h1": "10.0.1.1/24", "h2": "10.0.2.2/24", "client": "10.0.2.1/24"}),
        ("l3", {"h1": "10.1.1.2/24", "h2": "10.2.2.2/24", "client": "10.2.1.2/24"}),
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
        "ip neigh replace 10.0.2.1 lladdr 00:00:0a:00:02:01 dev h2-eth0 nud permanent",
    )


def test_links_ports_and_programs(tmp_path: Path) -> None:
    found = scenario(app(tmp_path))
    plan = plan_network(found)
    assert {name: sorted((port.number, port.peer) for port in one.ports) for name, one in plan.switches.items()} == {
        "s1": [(1, "h1"), (2, "s2")],
        "s2": [(1, "client"), (2, "h2"), (3, "s1")],
    }, "in the order of the links' ends, as p4-utils numbers them"
    numbered = scenario(app(tmp_path, links=[["h1", "s1", {"port2": 4, "max_queue_size": 7}], *LINKS[1:]]))
    assert [port.number for port in plan_network(numbered).switches["s1"].ports if port.peer == "h1"] == [4]
    assert plan_network(numbered).direction("s1", "h1").queue_packets == 7
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


def written(folder: Path, content: dict[str, Any], name: str = "p4app.json") -> Path:
    (folder / "main.p4").write_text("")
    (folder / "commands.txt").write_text("table_set_default t drop\n")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(content))
    return folder


def hosts_of(folder: Path) -> dict[str, tuple[str, str]]:
    return {name: (str(host.address), host.mac) for name, host in plan_network(scenario(folder)).hosts.items()}


def test_hosts_may_give_their_own_addresses(tmp_path: Path) -> None:
    hosts = {"h1": {"ip": "192.168.10.52", "gw": "192.168.10.1"}, "h2": {"ip": "10.9.0.1/16", "mac": "00:04:00:00:00:02"}}
    content = {"links": [["h1", "s1"], ["h2", "s1"]], "hosts": hosts, "switches": {"s1": {"cli_input": "commands.txt"}}}
    for one in (content | {"program": "main.p4"}, {"program": "main.p4", "topology": content | {"assignment_strategy": "manual"}}):
        folder = written(tmp_path, one)
        assert hosts_of(folder) == {"h1": ("192.168.10.52/24", "00:00:c0:a8:0a:34"), "h2": ("10.9.0.1/16", "00:04:00:00:00:02")}
        setup = plan_network(scenario(folder)).hosts["h1"].setup
        assert setup is not None
        assert "ip route replace default via 192.168.10.1 dev h1-eth0" in setup.commands
    with pytest.raises(UserError, match=r"hosts\.h1: .*'nowhere'"):
        read_exercise(written(tmp_path, content | {"hosts": {"h1": {"ip": "nowhere"}, "h2": {}}}))


def test_p4app_of_p4lang(tmp_path: Path) -> None:
    target = {
        "auto-control-plane": True,
        "links": [["s1", "s2"], ["h1", "s1"], ["h2", "s2", 5]],
        "hosts": {},
        "switches": {"s1": {"entries": "commands.txt"}},
    }
    folder = written(tmp_path, {"program": "main.p4", "targets": {"multiswitch": target}})
    assert hosts_of(folder) == {"h1": ("10.0.1.10/16", "00:04:00:00:00:01"), "h2": ("10.0.2.10/16", "00:04:00:00:00:02")}
    plan = plan_network(scenario(folder))
    assert [(port.number, port.peer) for port in plan.switches["s2"].ports] == [(1, "h2"), (2, "s1")], "hosts' ports come first"
    assert plan.direction("h2", "s2").delay_ms == 5
    assert {name: len(one.entries) for name, one in scenario(folder).switches.items()} == {"s1": 1, "s2": 0}
    assert "no others from the topology" in read_exercise(folder).notes[0]
    with pytest.raises(UserError, match="networks are multiswitch and mininet"):
        read_exercise(written(tmp_path, {"program": "main.p4", "targets": {"custom": {}}}))
    written(
        tmp_path,
        {"hosts": {"h1": {"ip": "10.0.1.1/24", "mac": "08:00:00:00:01:01"}}, "switches": {"s1": {}}, "links": [["h1", "s1-p1"]]},
        "pod/topology.json",
    )
    assert set(hosts_of(tmp_path)) == {"h1"}, "what another target's program would read"


def test_p4app_with_one_switch(tmp_path: Path) -> None:
    folder = written(tmp_path, {"program": "main.p4", "targets": {"mininet": {"num-hosts": 3, "switch-config": "commands.txt"}}})
    assert list(hosts_of(folder).values())[1] == ("10.0.1.10/24", "00:04:00:00:00:01")
    assert [(port.number, port.peer) for port in plan_network(scenario(folder)).switches["s1"].ports] == [(1, "h1"), (2, "h2"), (3, "h3")]
    assert len(scenario(folder).switches["s1"].entries) == 1
    with pytest.raises(UserError, match="'two' is no number of hosts"):
        read_exercise(written(tmp_path, {"program": "main.p4", "targets": {"mininet": {"num-hosts": "two"}}}))


def test_a_topology_whose_hosts_are_a_list(tmp_path: Path) -> None:
    content = {
        "hosts": ["h1", "h2"],
        "switches": {"s2": {}, "s1": {"cli_input": "commands.txt"}},
        "links": [["s2", "s1"], ["h2", "s2"], ["h1", "s1", "2ms", 5]],
    }
    folder = written(tmp_path, content, "topology.json")
    assert hosts_of(folder) == {"h1": ("10.0.1.1/24", "00:00:00:00:01:01"), "h2": ("10.0.2.2/24", "00:00:00:00:02:02")}
    plan = plan_network(scenario(folder))
    assert [(port.number, port.peer) for port in plan.switches["s2"].ports] == [(1, "h2"), (2, "s1")]
    assert (plan.direction("h1", "s1").delay_ms, plan.direction("h1", "s1").rate_mbps) == (2, 5)


def test_what_is_beside_the_topology_is_the_program_and_what_is_below_is_included(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "actions.p4").write_text("")
    hosts = {"h1": {"ip": "10.0.1.1/24", "mac": "08:00:00:00:01:01", "commands": ["route add default gw 10.0.1.10 dev h1-eth0"]}}
    folder = written(tmp_path, {"hosts": hosts, "switches": {"s1": {"cpu_port": 255}}, "links": [["h1", "s1-p1"]]}, "topology.json")
    found = scenario(folder)
    assert plan_network(found).switches["s1"].cpu_port == 255
    assert found.switches["s1"].p4 == tmp_path / "main.p4"
    assert plan_network(found).hosts["h1"].interface == "h1-eth0", "as its commands call it"
