"""The surroundings of p4-utils controllers: ``topology.json`` as p4-utils writes it, CPU ports, and p4-utils itself if it is installed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from scenario.data_plane import with_paths
from scenario.scenario import Scenario
from testbed.tutorial import p4utils_packages
from testbed.tutorial.exercise import read_exercise
from testbed.tutorial.p4utils_packages import note_of_missing, wants_p4utils
from testbed.tutorial.p4utils_topology import p4utils_topology
from topo.layout import plan_network
from topo.network_plan import THRIFT_BASE_PORT, NetworkPlan
from topo.switch_files import switch_network

TOPOLOGY: dict[str, Any] = {
    "assignment_strategy": "l3",
    "links": [["h1", "s1"], ["s1", "s2", {"bw": 5, "delay": "10ms"}], ["h2", "s2"]],
    "hosts": {"h1": {}, "h2": {}},
    "switches": {"s1": {"cpu_port": True}, "s2": {}},
}


def described(folder: Path, **changes: Any) -> tuple[NetworkPlan, dict[str, Any]]:
    (folder / "main.p4").write_text("")
    (folder / "p4app.json").write_text(json.dumps({"p4_src": "main.p4", "topology": TOPOLOGY | changes}))
    exercise = read_exercise(folder)
    content = dict(exercise.content)
    with_paths(content, folder)
    plan = plan_network(Scenario.model_validate(content))
    assert exercise.addresses is not None
    return plan, json.loads(p4utils_topology(plan, exercise.addresses, {"s1": "main"}))


def test_nodes_have_what_controllers_ask_for(tmp_path: Path) -> None:
    _plan, topology = described(tmp_path)
    nodes = {node["id"]: node for node in topology["nodes"]}
    assert nodes["h1"] == {
        "id": "h1", "isHost": True, "isSwitch": False, "ip": "10.1.1.2/24", "mac": "00:00:0a:01:01:02", "defaultRoute": "via 10.1.1.1",
    }  # fmt: skip
    assert [nodes[name]["thrift_port"] for name in ("s1", "s2")] == [9090, 9091]
    assert nodes["s1"]["isP4Switch"]
    assert nodes["s1"] | {"cpu_port": True, "cpu_port_num": 3, "cpu_intf": "s1-cpu-eth0", "cpu_ctl_intf": "s1-cpu-eth1"} == nodes["s1"]
    assert nodes["s2"]["cpu_port"] is False
    assert (nodes["s1"]["json_path"], nodes["s1"]["p4rt_path"]) == ("main.json", "main_p4rt.txt"), (
        "beside the program, as p4-utils has them"
    )


def test_links_have_ports_and_addresses_of_both_ends(tmp_path: Path) -> None:
    _plan, topology = described(tmp_path)
    assert topology["links"] == topology["edges"]
    links = {(link["node1"], link["node2"]): link for link in topology["links"]}
    assert set(links) == {("h1", "s1"), ("h2", "s2"), ("s1", "s2")}
    host, trunk = links["h1", "s1"], links["s1", "s2"]
    assert (host["port1"], host["intfName1"], host["port2"], host["intfName2"]) == (0, "h1-eth0", 1, "s1-eth1")
    assert (host["addr1"], host["addr2"], host["ip1"], host["ip2"]) == (
        "00:00:0a:01:01:02",
        "00:01:0a:01:01:02",
        "10.1.1.2/24",
        "10.1.1.1/24",
    )
    assert (trunk["port1"], trunk["port2"], trunk["bw"], trunk["ip1"], trunk["ip2"]) == (2, 2, 5, "20.1.2.1/24", "20.1.2.2/24")
    assert len({trunk["addr1"], trunk["addr2"]}) == 2


def test_the_switch_process_is_told_of_cpu_ports_and_thrift(tmp_path: Path) -> None:
    plan, _topology = described(tmp_path)
    pids = dict.fromkeys(plan.hosts, 1)
    assert all("thrift_port" not in switch for switch in switch_network(plan, pids, None, tmp_path, tmp_path)["switches"])
    plan.thrift_base_port = THRIFT_BASE_PORT
    first, second = switch_network(plan, pids, None, tmp_path, tmp_path)["switches"]
    assert (first["thrift_port"], second["thrift_port"]) == (9090, 9091)
    assert first["ports"][-1] == {"port": 3, "name": "s1-cpu-eth1", "tap": {"device": "s1-cpu-eth1"}}
    assert len(second["ports"]) == 2


def test_p4utils_goes_along_where_controllers_import_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "network.py").write_text("from p4utils.mininetlib.network_API import NetworkAPI\n")
    (tmp_path / "controller.py").write_text("from p4utils.utils.helper import load_topo\n")
    (tmp_path / "send.py").write_text("import scapy\n")
    programs = wants_p4utils(sorted(tmp_path.iterdir()))
    assert programs == ["controller.py"]
    modules = tmp_path / "modules"
    for file in ("p4utils/__init__.py", "p4utils/utils/helper.py", "p4utils/tests/test.py", "p4utils/notes.txt", "ipaddr.py"):
        (modules / file).parent.mkdir(parents=True, exist_ok=True)
        (modules / file).write_text("")
    monkeypatch.setattr(p4utils_packages, "NEEDED", ("ipaddr", "no_such_package_here"))
    monkeypatch.setattr(sys, "path", [str(modules), *sys.path])
    files, missing = p4utils_packages.p4utils_packages()
    assert set(files) == {"p4utils/__init__.py", "p4utils/utils/helper.py", "ipaddr.py"}
    assert missing == ["no_such_package_here"]
    assert note_of_missing(programs, missing).startswith("controller.py: p4-utils is needed, and there is no no_such_package_here here")
