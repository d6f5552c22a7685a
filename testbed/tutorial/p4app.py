"""``p4app.json`` of p4-utils: a network whose addresses follow from the names and places of its hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.shown_path import shown
from testbed.tutorial.json_file import as_object

STRATEGIES = ("l2", "mixed", "l3")
NUMBER = re.compile(r"(\d+)$")
BASE = int(IPv4Address("10.0.0.0"))
MS = "ms"


@dataclass(frozen=True)
class HostAddress:
    """Of a host.

    Args:
        interface: with its prefix length.
        gateway: None: all hosts are in one network.
    """

    interface: IPv4Interface
    gateway: IPv4Address | None

    @property
    def mac(self) -> str:
        """Of the host: made of its address."""
        return self._mac(0)

    @property
    def switch_mac(self) -> str:
        """Of the port that it is behind, which stands for the gateway."""
        return self._mac(1)

    def _mac(self, second: int) -> str:
        return ":".join(f"{part:02x}" for part in (0, second, *self.interface.ip.packed))


@dataclass(frozen=True)
class P4App:
    """A file that has been read.

    Args:
        topology: keys of a scenario's topology.
        program: what switches run that say nothing else; None: there is none.
        switches: what each says of itself.
        scripts: commands that are to be run when the network is up.
    """

    topology: Mapping[str, Any]
    program: str | None
    switches: Mapping[str, Mapping[str, Any]]
    scripts: tuple[str, ...]


def read_p4app(file: Path, content: Mapping[str, Any]) -> P4App:
    """Make a network of a file.

    Args:
        file: which, for messages.
        content: what is in it.

    Raises:
        UserError: it has another shape; the message names the key.
    """
    topology = as_object(file, content.get("topology"), "topology")
    strategy = str(topology.get("assignment_strategy", "mixed"))
    if strategy not in STRATEGIES:
        raise UserError(f"{shown(file)}: topology.assignment_strategy: {strategy!r} is not known", f"it is {', '.join(STRATEGIES)}")
    hosts = as_object(file, topology.get("hosts", {}), "topology.hosts")
    switches = as_object(file, topology.get("switches", {}), "topology.switches")
    links = [_Link.read(file, one, topology.get("default") or {}) for one in topology.get("links", [])]
    for link in links:
        for end in link.ends:
            if end not in hosts and end not in switches:
                raise UserError(f"{shown(file)}: topology.links: there is no {end!r}")
    addresses = dict(_addresses(strategy, hosts, switches, links))
    is_told = bool(topology.get("auto_arp_tables", True))
    machines = {
        host: {
            "ip": str(address.interface),
            "mac": address.mac,
            "interface": f"{host}-eth0",
            "commands": list(_commands(host, addresses, is_told=is_told, tells_gateway=bool(topology.get("auto_gw_arp", True)))),
        }
        for host, address in addresses.items()
    }
    keys = {name: as_object(file, one, f"topology.switches.{name}") for name, one in switches.items()}
    scripts = tuple(str(one["cmd"]) for one in content.get("exec_scripts", []) if isinstance(one, dict) and "cmd" in one)
    program = content.get("p4_src", content.get("program"))
    made = {
        "kind": "p4lang",
        "machines": machines,
        "switches": list(switches),
        "links": [link.keys for link in links],
        "cpu_ports": [name for name, one in keys.items() if one.get("cpu_port") is True],
    }
    return P4App(made, None if program is None else str(program), keys, scripts)


@dataclass(frozen=True)
class _Link:
    ends: tuple[str, str]
    keys: dict[str, Any]

    @classmethod
    def read(cls, file: Path, one: Any, usual: Mapping[str, Any]) -> _Link:
        if not isinstance(one, list) or len(one) < 2 or not all(isinstance(end, str) for end in one[:2]):
            raise UserError(f"{shown(file)}: topology.links: {one!r} is no link: [END, END, {{delay, bw, queue_length}}]")
        more = dict(usual) | (one[2] if len(one) > 2 and isinstance(one[2], dict) else {})
        keys: dict[str, Any] = {"ends": [one[0], one[1]]}
        if more.get("delay"):
            keys["delay"] = more["delay"]
        if more.get("bw"):
            keys["rate_mbps"] = more["bw"]
        if more.get("queue_length"):
            keys["queue_packets"] = more["queue_length"]
        return cls((one[0], one[1]), keys)


def _addresses(
    strategy: str, hosts: Mapping[str, Any], switches: Mapping[str, Any], links: list[_Link]
) -> Iterator[tuple[str, HostAddress]]:
    ids = {name: number for number, name in enumerate(sorted(switches, key=_number), start=1)}
    taken: set[int] = set()
    for link in links:
        for host, switch in (link.ends, link.ends[::-1]):
            if host in hosts and switch in switches:
                yield host, _address(strategy, host, ids[switch], taken)


def _address(strategy: str, host: str, switch: int, taken: set[int]) -> HostAddress:
    number = _number(host) or len(taken) + 1
    if strategy == "l2":
        return HostAddress(IPv4Interface((_free(BASE + number, taken), 16)), None)
    if strategy == "mixed":
        net = BASE + (switch << 8)
        return HostAddress(IPv4Interface((_free(net + number, taken), 24)), IPv4Address(net + 254))
    net = BASE + (switch << 16) + (number << 8)
    return HostAddress(IPv4Interface((_free(net + 2, taken), 24)), IPv4Address(net + 1))


def _free(wanted: int, taken: set[int]) -> int:
    while wanted in taken:
        wanted += 1
    taken.add(wanted)
    return wanted


def _number(name: str) -> int:
    found = NUMBER.search(name)
    return int(found[1]) if found else 0


def _commands(host: str, addresses: Mapping[str, HostAddress], *, is_told: bool, tells_gateway: bool) -> Iterator[str]:
    own, device = addresses[host], f"{host}-eth0"
    if own.gateway is not None:
        yield f"ip route replace default via {own.gateway} dev {device}"
        if tells_gateway:
            yield f"ip neigh replace {own.gateway} lladdr {own.switch_mac} dev {device} nud permanent"
    for name, other in addresses.items() if is_told else ():
        if name != host and other.interface.network == own.interface.network:
            yield f"ip neigh replace {other.interface.ip} lladdr {other.mac} dev {device} nud permanent"
