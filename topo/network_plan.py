"""The plan of a network, before anything is started: hosts, switches, links, addresses, routes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from ipaddress import IPv4Address, IPv4Interface

from protocol.constants import CPU_PORT
from scenario.computing import Computing
from scenario.links import Link, LinkParameters
from scenario.run_request import GRPC_BASE_PORT
from scenario.topologies import HostSetup
from topo.equal_cost_ways import seed_of_ways, shift_of, way_number
from topo.routes import ways_to

HOSTS_OF_24 = 254
"""As many as a network of prefix length 24 has addresses for; more are in one of prefix length 16."""

THRIFT_BASE_PORT = 9090
"""Thrift port of the first switch, in virtual time: BMv2's and p4-utils'."""


@dataclass(frozen=True)
class HostPlan:
    """A host's interface with its address. The network knows a host's further interfaces as ``HOST.1``, ``HOST.2`` …"""

    name: str
    number: int
    index: int = 0
    """Of the interface on its host."""
    setup: HostSetup | None = None
    """Its settings, instead of those that the testbed would give it; None: the testbed's."""
    prefix_length: int = 24

    @property
    def node(self) -> str:
        """The host, where programs run."""
        return self.name.partition(".")[0]

    @property
    def interface(self) -> str:
        """Name of the interface inside the host's namespace."""
        return f"{self.node}-eth{self.index}" if self.setup is None else self.setup.interface

    @cached_property
    def address(self) -> IPv4Interface:
        """IPv4 address with prefix length."""
        if self.setup is not None:
            return IPv4Interface(self.setup.address)
        block, place = divmod(self.number - 1, HOSTS_OF_24)
        return IPv4Interface((f"10.0.{block}.{place + 1}", self.prefix_length))

    @property
    def ip(self) -> str:
        """IPv4 address without prefix length."""
        return str(self.address.ip)

    @property
    def mac(self) -> str:
        """MAC address, locally administered unless it is given."""
        return self.setup.mac if self.setup is not None else f"02:00:00:00:{self.number >> 8:02x}:{self.number & 0xFF:02x}"


@dataclass(frozen=True)
class PortPlan:
    """A switch port and the neighbour that it leads to."""

    number: int
    peer: str
    link: LinkParameters
    """The link's parameters in the direction that leaves by the port."""
    ingress: LinkParameters | None = None
    """The same in the direction from a host; None for a neighbour that is a switch, whose own port has them."""
    peer_port: int | None = None
    """The neighbour's port number if the neighbour is a switch; None for a host."""


@dataclass
class SwitchPlan:
    """A P4 switch with its ports, numbered from 1."""

    name: str
    number: int
    grpc_base_port: int = GRPC_BASE_PORT
    first_device_id: int = 1
    ports: list[PortPlan] = field(default_factory=list)
    cpu_port: int = CPU_PORT
    """The controller gets the packets that are sent there, as packet-ins."""
    cpu_interface: str | None = None
    """An interface beside the network that leads to one more port, the next one."""

    @property
    def grpc_address(self) -> str:
        """Where the switch's P4Runtime server listens."""
        return f"127.0.0.1:{self.grpc_base_port + self.number - 1}"

    @property
    def device_id(self) -> int:
        """The switch's number in P4Runtime."""
        return self.first_device_id + self.number - 1

    def next_port(self) -> int:
        """The number of a port that is added without one."""
        return max((port.number for port in self.ports), default=0) + 1

    def port_mac(self, port: int) -> str:
        """MAC address that frames leaving by ``port`` carry as their source."""
        return f"02:00:{self.number >> 8:02x}:01:{self.number & 0xFF:02x}:{port:02x}"

    def port_to(self, peer: str) -> PortPlan:
        """The port that leads directly to ``peer``.

        Raises:
            KeyError: there is no such port.
        """
        for port in self.ports:
            if port.peer == peer:
                return port
        raise KeyError(f"{self.name} has no port to {peer}")


@dataclass
class NetworkPlan:
    """A whole network. Packets take the ways that topo/routes.py works out."""

    hosts: dict[str, HostPlan] = field(default_factory=dict)
    switches: dict[str, SwitchPlan] = field(default_factory=dict)
    mtu_bytes: int = 1500
    initial_window_packets: int = 10
    socket_buffer_bytes: int = 10_000_000
    quick_ack: bool = False
    """Every packet is acknowledged by itself."""
    sysctl: dict[str, str] = field(default_factory=dict)
    sysctl_of: dict[str, dict[str, str]] = field(default_factory=dict)
    kernel_parameters: dict[str, str] = field(default_factory=dict)
    """Of the kernel's modules, ``MODULE.PARAMETER``."""
    computing: Computing = field(default_factory=Computing)
    """How long controller and switches take, as far as the scenario says it."""
    seed: int = 1
    grpc_base_port: int = GRPC_BASE_PORT
    thrift_base_port: int | None = None
    """Where the first switch's Thrift services listen, the others' at the next ones; None: there are none."""
    first_device_id: int = 1
    routes: list[list[str]] = field(default_factory=list)
    """Ways from host to host that are not the shortest; they hold in both directions."""
    prefix_length: int = 24
    """Of all hosts' addresses."""
    layers: dict[str, int] = field(default_factory=dict)
    """Of switches that spread packets over all equally short ways: the layer of each, from 0 at the hosts."""
    _ways: dict[str, dict[str, tuple[PortPlan, ...]]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Those of :meth:`ways_to`: with many transmissions they are asked for again and again."""

    def add_host(self, name: str, switch: str, link: Link, port: int | None = None, setup: HostSetup | None = None) -> HostPlan:
        """Add a host behind ``switch``; the link's first direction is from the host.

        Args:
            name: the host's.
            switch: the switch's.
            link: between them.
            port: of the switch; None: the next one.
            setup: the host's own settings; None: the testbed's.
        """
        host = HostPlan(name, len(self.hosts) + 1, setup=setup, prefix_length=self.prefix_length)
        self.hosts[name] = host
        there = self.switches[switch]
        there.ports.append(PortPlan(there.next_port() if port is None else port, name, link.back, link.there))
        self._ways.clear()
        return host

    def add_interface(self, host: str, switch: str, link: Link) -> HostPlan:
        """Give a host another interface, behind ``switch`` (the same or another one). MPTCP may open a subflow from it."""
        index = len(self.interfaces(host))
        name = f"{host}.{index}"
        self.add_host(name, switch, link)
        self.hosts[name] = replace(self.hosts[name], index=index)
        return self.hosts[name]

    @property
    def has_gateway(self) -> bool:
        """Whether a host knows its switch alone, since each would know too many others."""
        return self.prefix_length < 24

    @property
    def gateway(self) -> IPv4Address:
        """Every switch's address for its hosts: the last one of the network."""
        return IPv4Address("10.0.255.254")

    def interfaces(self, host: str) -> list[HostPlan]:
        """A host's interfaces, the first one first."""
        return [plan for plan in self.hosts.values() if plan.node == host]

    @property
    def is_multipath(self) -> bool:
        """Whether a host has more than one interface."""
        return any(plan.index > 0 for plan in self.hosts.values())

    def add_switch(self, name: str) -> SwitchPlan:
        """Add a switch without ports."""
        switch = SwitchPlan(name, len(self.switches) + 1, self.grpc_base_port, self.first_device_id)
        self.switches[name] = switch
        self._ways.clear()
        return switch

    def thrift_port(self, switch: SwitchPlan) -> int | None:
        """Where a switch's Thrift services listen; None: there are none.

        Args:
            switch: which one.
        """
        return None if self.thrift_base_port is None else self.thrift_base_port + switch.number - 1

    def add_trunk(self, first: str, second: str, link: Link, first_port: int | None = None, second_port: int | None = None) -> None:
        """Join two switches by a link; its first direction is from ``first``. Without numbers, it has the next port of each."""
        here, there = self.switches[first], self.switches[second]
        number_a = here.next_port() if first_port is None else first_port
        number_b = there.next_port() if second_port is None else second_port
        here.ports.append(PortPlan(number_a, second, link.there, peer_port=number_b))
        there.ports.append(PortPlan(number_b, first, link.back, peer_port=number_a))
        self._ways.clear()

    def attachment(self, host: str) -> tuple[SwitchPlan, PortPlan]:
        """The switch and port behind which a host is."""
        for switch in self.switches.values():
            for port in switch.ports:
                if port.peer == host:
                    return switch, port
        raise KeyError(f"host {host} is not attached to any switch")

    def end_of(self, here: str, there: str) -> tuple[SwitchPlan, PortPlan, str]:
        """Where the direction from ``here`` to its neighbour ``there`` is modelled: a switch's port, and which side of it.

        Raises:
            KeyError: they are no neighbours.
        """
        if here in self.switches:
            return self.switches[here], self.switches[here].port_to(there), "egress"
        return self.switches[there], self.switches[there].port_to(here), "ingress"

    def direction(self, here: str, there: str) -> LinkParameters:
        """The link from ``here`` to its neighbour ``there``; either may be a host."""
        _, port, side = self.end_of(here, there)
        return port.link if side == "egress" or port.ingress is None else port.ingress

    def directions(self) -> list[tuple[str, str]]:
        """Every direction of every link, in a fixed order."""
        found = []
        for switch in self.switches.values():
            for port in switch.ports:
                found.append((switch.name, port.peer))
                if port.peer_port is None:
                    found.append((port.peer, switch.name))
        return found

    def ways_to(self, host: str) -> dict[str, tuple[PortPlan, ...]]:
        """For every switch, the ports of all ways that packets to ``host`` may take; most often there is one."""
        if host not in self._ways:
            first, port = self.attachment(host)
            self._ways[host] = ways_to(self, host, first.name, port)
        return self._ways[host]

    @property
    def seed_of_ways(self) -> int:
        """With which switches choose among several ways."""
        return seed_of_ways(self.seed)

    def way_number(self, switch: str, sender: str, receiver: str, ways: int) -> int:
        """Which of so many equally short ways the packets between two hosts take behind a switch, from 0."""
        first, second = self.hosts[sender].address.ip, self.hosts[receiver].address.ip
        return way_number(first, second, self.seed_of_ways, shift_of(self.layers[switch]), ways)
