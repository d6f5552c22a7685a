"""Networks as p4lang's exercises have them: hosts with addresses and commands, links between numbered ports."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Interface, NetmaskValueError
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from scenario.base import Name, Strict
from scenario.links import Link
from scenario.topologies.graph import MAX_HOSTS, MAX_SWITCHES, HostName
from scenario.topologies.kind import HostLink, HostSetup, Layout, TopologyKind, Trunk

PORT = re.compile(r"([A-Za-z][A-Za-z0-9_]*)-p([0-9]+)")
DELAY = re.compile(r"([0-9.]+)\s*(us|ms|s)?")
MS = {"us": 1e-3, "ms": 1.0, "s": 1e3, None: 1.0}
MAC = r"^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$"
UNLIMITED = Link(rate_mbps=100, delay_ms=0, queue_packets=100)
"""Links without a rate. In Mininet only the speed of a software switch limits them, which is of this order."""


class P4langHost(Strict):
    """A host with its addresses."""

    ip: str = Field(description="an IPv4 address with its prefix length, as a text", examples=["10.0.1.1/24"])
    """The host's address."""
    mac: str = Field(pattern=MAC, description="a MAC address, as a text", examples=["08:00:00:00:01:11"])
    """The hardware address of its interface."""
    interface: str = Field(
        default="eth0", pattern=r"^[A-Za-z0-9_.-]{1,15}$", description="an interface's name, as a text", examples=["eth0"]
    )
    """The name of its interface."""
    commands: list[str] = Field(default=[], examples=[["route add default gw 10.0.1.10 dev eth0"]])
    """Commands for a shell on the host, when its interface is up."""

    @field_validator("ip")
    @classmethod
    def _is_an_address(cls, text: str) -> str:
        try:
            return str(IPv4Interface(text))
        except (AddressValueError, NetmaskValueError):
            raise ValueError(f"{text!r} is no IPv4 address with a prefix length") from None


class P4langLink(Strict):
    """A link between a host and a port, or between two ports. In a file a list: both ends, delay in ms, rate in Mbit/s."""

    ends: Annotated[tuple[str, str], Field(examples=[["h1", "s1-p1"]])]
    """A host, or a port of a switch as `s1-p1`."""
    delay_ms: float = Field(default=0.0, ge=0, le=10_000)
    """Propagation delay, one way."""
    rate_mbps: Annotated[float, Field(gt=0, le=100_000)] | None = None
    """Bit rate; left out, as `access` says."""
    queue_packets: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Packets that fit into the queue; left out, as `access` says."""

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, value: Any) -> Any:
        if isinstance(value, dict) and "delay" in value:
            return {key: part for key, part in value.items() if key != "delay"} | {"delay_ms": _milliseconds(value["delay"])}
        if not isinstance(value, list | tuple):
            return value
        if not 2 <= len(value) <= 4:
            raise ValueError(f"a link is [END, END], with a delay and a rate if it has them, not {list(value)!r}")
        named: dict[str, Any] = {"ends": (value[0], value[1])}
        if len(value) > 2:
            named["delay_ms"] = _milliseconds(value[2])
        if len(value) > 3 and value[3] is not None:
            named["rate_mbps"] = float(value[3])
        return named


def _milliseconds(value: Any) -> float:
    found = DELAY.fullmatch(str(value).strip())
    if found is None:
        raise ValueError(f'{value!r} is no delay; for example 5, "5ms"')
    return float(found[1]) * MS[found[2]]


class P4lang(TopologyKind):
    """Switches, hosts and links of a ``topology.json``.

    Hosts have one interface, ``eth0``; their commands set routes and neighbours. Device ids begin with 0.
    """

    kind: Literal["p4lang"]
    access: Link = UNLIMITED
    """For links without a rate of their own."""
    machines: dict[HostName, P4langHost] = Field(min_length=1, max_length=MAX_HOSTS)
    """The hosts."""
    switches: list[Name] = Field(min_length=1, max_length=MAX_SWITCHES, examples=[["s1", "s2"]])
    """The switches."""
    links: list[P4langLink] = Field(min_length=1, examples=[[["h1", "s1-p1"], ["h2", "s1-p2", "5ms", 20]]])
    """All links."""

    @property
    def hosts(self) -> list[str]:
        """Host names in the order of the file."""
        return list(self.machines)

    def layout(self) -> Layout:
        """Hosts and links with the ports that the file gives them; without, each has the next one in the order of the links."""
        hosts, trunks = [], []
        last: dict[str, int] = {}
        for one in self.links:
            own = {"rate_mbps": one.rate_mbps, "queue_packets": one.queue_packets}
            link = self.access.but({"delay_ms": one.delay_ms} | {key: value for key, value in own.items() if value is not None})
            (first, first_port), (second, second_port) = (self._numbered(end, last) for end in one.ends)
            if first in self.machines and second in self.switches:
                hosts.append(HostLink(first, second, link, second_port, self._setup(first)))
            elif second in self.machines and first in self.switches:
                hosts.append(HostLink(second, first, link, first_port, self._setup(second)))
            else:
                trunks.append(Trunk(first, second, link, first_port, second_port))
        order = self.hosts
        return Layout(self.switches, sorted(hosts, key=lambda one: order.index(one.host)), trunks=trunks, first_device_id=0)

    def _numbered(self, end: str, last: dict[str, int]) -> tuple[str, int]:
        name, port = self._end(end)
        number = last.get(name, 0) + 1 if port is None else port
        last[name] = max(number, last.get(name, 0))
        return name, number

    def _setup(self, host: str) -> HostSetup:
        machine = self.machines[host]
        return HostSetup(machine.ip, machine.mac, machine.interface, tuple(machine.commands))

    def _end(self, end: str) -> tuple[str, int | None]:
        if end in self.machines or end in self.switches:
            return end, None
        found = PORT.fullmatch(end)
        if found is None or found[1] not in self.switches:
            raise ValueError(f"links: {end!r} is neither a host nor a port of a switch, as s1-p1")
        return found[1], int(found[2])

    @model_validator(mode="after")
    def _is_a_network(self) -> P4lang:
        seen: set[tuple[str, int]] = set()
        attached: set[str] = set()
        for one in self.links:
            for end in one.ends:
                name, port = self._end(end)
                if port is not None and (name, port) in seen:
                    raise ValueError(f"links: port {port} of {name} has two links")
                if port is not None:
                    seen.add((name, port))
                if name in self.machines:
                    if name in attached:
                        raise ValueError(f"links: {name} has two links; a host has one interface here")
                    attached.add(name)
            if all(self._end(end)[0] in self.machines for end in one.ends):
                raise ValueError(f"links: {' '.join(one.ends)}: a host is joined to a switch")
        for host in self.machines:
            if host not in attached:
                raise ValueError(f"links: {host} has none")
        return self
