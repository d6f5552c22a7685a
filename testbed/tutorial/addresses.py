"""Addresses of hosts that a network's description does not give, as the tools that such descriptions are written for make them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.shown_path import shown

STRATEGIES = ("l2", "mixed", "l3", "manual")
"""Of p4-utils."""

USUAL_PREFIX = 24
NUMBER = re.compile(r"(\d+)$")
BASE = int(IPv4Address("10.0.0.0"))

Places = Mapping[str, str]
"""Of hosts: the switch that each is behind, in the order of the links."""


@dataclass(frozen=True)
class HostAddress:
    """Of a host.

    Args:
        interface: with its prefix length.
        mac: its own.
        gateway: where all that is not near goes; None: all hosts are in one network.
        gateway_mac: of the gateway, which is the port that the host is behind.
    """

    interface: IPv4Interface
    mac: str
    gateway: IPv4Address | None = None
    gateway_mac: str = ""

    def commands(self, device: str, near: Iterable[HostAddress], *, tells_gateway: bool = True) -> Iterator[str]:
        """The commands that tell the host its routes and neighbours.

        Args:
            device: its interface.
            near: other hosts whose MAC addresses it is told, as far as they are in its network.
            tells_gateway: whether it is told the gateway's MAC address.
        """
        if self.gateway is not None:
            if self.gateway not in self.interface.network:
                yield f"ip route replace {self.gateway} dev {device}"
            yield f"ip route replace default via {self.gateway} dev {device}"
            if tells_gateway:
                yield f"ip neigh replace {self.gateway} lladdr {self.gateway_mac} dev {device} nud permanent"
        for other in near:
            if other.interface.ip != self.interface.ip and other.interface.network == self.interface.network:
                yield f"ip neigh replace {other.interface.ip} lladdr {other.mac} dev {device} nud permanent"


def numbered(name: str, otherwise: int = 0) -> int:
    """The number at the end of a name, or ``otherwise`` if there is none."""
    found = NUMBER.search(name)
    return int(found[1]) if found else otherwise


def of_p4_utils(
    file: Path, strategy: str, hosts: Mapping[str, Mapping[str, Any]], switches: Iterable[str], at: Places
) -> dict[str, HostAddress]:
    """Addresses as p4-utils' strategies make them; hosts take the numbers in their names, the others the smallest that is left.

    Args:
        file: that describes the network, for messages.
        strategy: one of STRATEGIES.
        hosts: the keys of each, an address for example.
        switches: their names.
        at: hosts' places.

    Raises:
        UserError: a host's own address is none.
    """
    ids = {name: number for number, name in enumerate(sorted(switches, key=numbered), start=1)}
    taken: set[int] = set()
    found = {}
    for host in sorted(at, key=lambda host: numbered(host, -1) < 0):
        if "ip" in hosts[host]:
            found[host] = _own(file, host, hosts[host])
            taken.add(int(found[host].interface.ip))
        else:
            found[host] = _by_strategy(strategy, host, ids[at[host]], taken)
    return {host: found[host] for host in at}


def _own(file: Path, host: str, keys: Mapping[str, Any]) -> HostAddress:
    text = str(keys["ip"])
    gateway = keys.get("gw", str(keys.get("defaultRoute", "")).removeprefix("via ").strip())
    try:
        interface = IPv4Interface(text if "/" in text else f"{text}/{USUAL_PREFIX}")
        via = IPv4Address(str(gateway)) if gateway else None
    except ValueError as error:
        raise UserError(f"{shown(file)}: hosts.{host}: {error}", 'for example: "ip": "10.0.1.1/24", "gw": "10.0.1.254"') from None
    mac = str(keys.get("mac", _mac_of(interface.ip, 0)))
    return HostAddress(interface, mac, via, _mac_of(interface.ip, 1))


def _by_strategy(strategy: str, host: str, switch: int, taken: set[int]) -> HostAddress:
    number = numbered(host, 1)
    if strategy in {"l2", "manual"}:
        return _made(_free(BASE + number, taken), 16, None)
    if strategy == "mixed":
        net = BASE + (switch << 8)
        return _made(_free(net + number, taken), USUAL_PREFIX, net + 254)
    subnet = _free(BASE + (switch << 16) + (number << 8), taken, 1 << 8)
    return _made(subnet + 2, USUAL_PREFIX, subnet + 1)


def _made(address: int, prefix: int, gateway: int | None) -> HostAddress:
    interface = IPv4Interface((address, prefix))
    via = None if gateway is None else IPv4Address(gateway)
    return HostAddress(interface, _mac_of(interface.ip, 0), via, _mac_of(interface.ip, 1))


def _free(wanted: int, taken: set[int], step: int = 1) -> int:
    while wanted in taken:
        wanted += step
    taken.add(wanted)
    return wanted


def _mac_of(address: IPv4Address, second: int) -> str:
    return ":".join(f"{part:02x}" for part in (0, second, *address.packed))


@dataclass(frozen=True)
class AddressForm:
    """How a tool makes addresses of numbers: in the names of ``{host}`` and ``{switch}``, and the ``{place}`` among hosts, from 0."""

    interface: str
    mac: str
    gateway: str
    gateway_mac: str

    def of(self, at: Places) -> dict[str, HostAddress]:
        """The addresses of hosts.

        Args:
            at: their places.
        """
        found = {}
        for place, (host, switch) in enumerate(at.items()):
            numbers = {"host": numbered(host), "switch": numbered(switch), "place": place}
            interface, mac, gateway, gateway_mac = (
                form.format(**numbers) for form in (self.interface, self.mac, self.gateway, self.gateway_mac)
            )
            found[host] = HostAddress(IPv4Interface(interface), mac, IPv4Address(gateway), gateway_mac)
        return found


P4APP = AddressForm("10.0.{host}.10/16", "00:04:00:00:00:{host:02x}", "10.0.{host}.1", "00:aa:00:{switch:02x}:00:{host:02x}")
"""Of p4lang's p4app, with several switches."""

P4APP_ONE_SWITCH = AddressForm("10.0.{place}.10/24", "00:04:00:00:00:{place:02x}", "10.0.{place}.1", "00:aa:bb:00:00:{place:02x}")
"""Of p4app, around one switch."""

EARLIER_EXERCISES = AddressForm(
    "10.0.{switch}.{host}/24", "00:00:00:00:{switch:02x}:{host:02x}", "10.0.{host}.254", "00:aa:00:00:{switch:02x}:{host:02x}"
)
"""Of p4lang's exercises of 2017 and 2018, whose topology lists hosts."""
