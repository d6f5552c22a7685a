"""``p4app.json``, of p4-utils or of p4lang's p4app: a network whose addresses follow from the names and places of its hosts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.shown_path import shown
from testbed.tutorial.addresses import EARLIER_EXERCISES, P4APP, P4APP_ONE_SWITCH, STRATEGIES, HostAddress, of_p4_utils
from testbed.tutorial.described_links import DescribedLink, places, read_links
from testbed.tutorial.json_file import as_object

OLD = "topo_module"
"""A key that files for p4-utils had until 2020."""

MULTISWITCH, ONE_SWITCH = "multiswitch", "mininet"
"""The targets of p4app that are networks."""

USUAL_HOSTS = 2


@dataclass(frozen=True)
class P4App:
    """A file that has been read.

    Args:
        topology: keys of a scenario's topology.
        program: of switches that name none; None: there is none.
        switches: the keys of each.
        scripts: commands that are to be run when the network is up.
        notes: lines for people about omitted parts of it.
    """

    topology: Mapping[str, Any]
    program: str | None
    switches: Mapping[str, Mapping[str, Any]]
    scripts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    addresses: Mapping[str, HostAddress] | None = None
    """Of hosts, in a file of p4-utils."""


def describes_network(content: Mapping[str, Any]) -> bool:
    """Whether a file describes one; those of p4app's other targets name programs that do.

    Args:
        content: its keys.
    """
    targets = content.get("targets")
    return not isinstance(targets, dict) or not {MULTISWITCH, ONE_SWITCH}.isdisjoint(targets)


def read_p4app(file: Path, content: Mapping[str, Any]) -> P4App:
    """Make a network of a file.

    Args:
        file: which, for messages.
        content: its keys.

    Raises:
        UserError: it has another shape; the message names the key.
    """
    named = content.get("p4_src", content.get("program"))
    program = None if named is None else str(named)
    if "targets" in content:
        return _of_targets(file, as_object(file, content["targets"], "targets"), program)
    return _of_p4_utils(file, content, program)


def _of_p4_utils(file: Path, content: Mapping[str, Any], program: str | None) -> P4App:
    at_top = "topology" not in content and "links" in content
    prefix, topology = ("", content) if at_top else ("topology.", as_object(file, content.get("topology"), "topology"))
    hosts = _named(file, f"{prefix}hosts", topology.get("hosts", {}))
    switches = _named(file, f"{prefix}switches", topology.get("switches", {}))
    own = any("ip" in keys for keys in hosts.values())
    strategy = str(topology.get("assignment_strategy", "manual" if own else "mixed"))
    if strategy not in STRATEGIES:
        raise UserError(f"{shown(file)}: topology.assignment_strategy: {strategy!r} is not known", f"it is {', '.join(STRATEGIES)}")
    usual = as_object(file, topology.get("default", {}), f"{prefix}default")
    links = read_links(file, f"{prefix}links", topology.get("links"), hosts, switches, usual)
    # p4-utils sorted nothing while it took the modules that make a network from the file, but hosts' links came first.
    links = sorted(links, key=lambda link: _joins_switches(link, switches)) if OLD in content else sorted(links, key=DescribedLink.place)
    addresses = of_p4_utils(file, strategy, hosts, switches, places(links, hosts, switches))
    told = {key: bool(topology.get(key, usual.get(key, True))) for key in ("auto_arp_tables", "auto_gw_arp")}
    near = list(addresses.values()) if told["auto_arp_tables"] else []
    scripts = tuple(str(one["cmd"]) for one in content.get("exec_scripts", []) if isinstance(one, dict) and "cmd" in one)
    made = network(addresses, switches, links, near, tells_gateway=told["auto_gw_arp"])
    return P4App(made, program, switches, scripts, addresses=addresses)


def _of_targets(file: Path, targets: Mapping[str, Any], program: str | None) -> P4App:
    if ONE_SWITCH in targets and MULTISWITCH not in targets:
        return _of_one_switch(file, as_object(file, targets[ONE_SWITCH], f"targets.{ONE_SWITCH}"), program)
    if MULTISWITCH not in targets:
        raise UserError(
            f"{shown(file)}: targets: {', '.join(targets) or 'there are none'}; networks are {MULTISWITCH} and {ONE_SWITCH}",
            "a topology.json of the same folder can be given instead of the folder",
        )
    key = f"targets.{MULTISWITCH}"
    target = as_object(file, targets[MULTISWITCH], key)
    hosts = _named(file, f"{key}.hosts", target.get("hosts", {}))
    described = _named(file, f"{key}.switches", target.get("switches", {}))
    listed = target.get("links", [])
    ends = [str(end) for one in listed if isinstance(one, list) for end in one[:2]]
    switches = described | {end: {} for end in sorted(ends) if end.startswith("s") and end not in described}
    hosts = hosts | {end: {} for end in sorted(ends) if end.startswith("h") and end not in hosts}
    links = sorted(read_links(file, f"{key}.links", listed, hosts, switches), key=lambda link: _joins_switches(link, switches))
    addresses = P4APP.of(places(links, hosts, switches))
    notes: tuple[str, ...] = ()
    if target.get("auto-control-plane"):
        notes = (f"{shown(file)}: auto-control-plane: tables get the entries of the file alone, no others from the topology",)
    own = {name: {"cli_input" if one == "entries" else one: value for one, value in keys.items()} for name, keys in switches.items()}
    return P4App(network(addresses, switches, links, []), program, own, notes=notes)


def _of_one_switch(file: Path, target: Mapping[str, Any], program: str | None) -> P4App:
    number = target.get("num-hosts", USUAL_HOSTS)
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise UserError(f"{shown(file)}: targets.{ONE_SWITCH}.num-hosts: {number!r} is no number of hosts")
    hosts: dict[str, Any] = {f"h{one}": {} for one in range(1, number + 1)}
    switches: dict[str, Any] = {"s1": {"cli_input": target.get("switch-config")}}
    links = read_links(file, "links", [[host, "s1"] for host in hosts], hosts, switches)
    addresses = P4APP_ONE_SWITCH.of(places(links, hosts, switches))
    return P4App(network(addresses, switches, links, []), program, switches)


def _joins_switches(link: DescribedLink, switches: Mapping[str, Any]) -> bool:
    return all(end in switches for end in link.ends)


def earlier_topology(file: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a scenario's topology for a ``topology.json`` whose hosts are a list, as p4lang's exercises had it in 2017 and 2018.

    Args:
        file: which, for messages.
        content: its keys.

    Raises:
        UserError: it has another shape.
    """
    hosts: dict[str, Any] = {str(name): {} for name in content["hosts"]}
    switches = as_object(file, content.get("switches", {}), "switches")
    found = read_links(file, "links", content.get("links"), hosts, switches)
    links = sorted(found, key=lambda link: (_joins_switches(link, switches), sorted(link.ends)))
    return network(EARLIER_EXERCISES.of(places(links, hosts, switches)), switches, links, [])


def network(
    addresses: Mapping[str, HostAddress],
    switches: Iterable[str],
    links: Iterable[DescribedLink],
    near: list[HostAddress],
    *,
    tells_gateway: bool = True,
) -> dict[str, Any]:
    """Keys of a scenario's topology.

    Args:
        addresses: of each host.
        switches: their names.
        links: which number the ports.
        near: hosts whose MAC addresses others are told.
        tells_gateway: whether hosts are told the gateway's.
    """
    machines = {
        host: {
            "ip": str(address.interface),
            "mac": address.mac,
            "interface": f"{host}-eth0",
            "commands": list(address.commands(f"{host}-eth0", near, tells_gateway=tells_gateway)),
        }
        for host, address in addresses.items()
    }
    return {"kind": "p4lang", "machines": machines, "switches": list(switches), "links": [link.keys for link in links]}


def _named(file: Path, key: str, value: Any) -> dict[str, Mapping[str, Any]]:
    return {str(name): as_object(file, one, f"{key}.{name}") for name, one in as_object(file, value, key).items()}
