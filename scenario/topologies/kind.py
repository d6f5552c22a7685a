"""The base of every kind of topology: keys of a scenario file, and how they lay out switches, hosts and links."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field, ValidationError, model_validator

from scenario.base import Strict
from scenario.links import Link
from scenario.schema_errors import first_error


@dataclass(frozen=True)
class HostSetup:
    """A host's settings, instead of those that the testbed would give it.

    Args:
        address: IPv4 with its prefix length: ``10.0.1.1/24``.
        mac: of its interface.
        interface: the interface's name.
        commands: for a shell, when the interface is up: routes, neighbours.
    """

    address: str
    mac: str
    interface: str = "eth0"
    commands: tuple[str, ...] = ()


@dataclass(frozen=True)
class HostLink:
    """A host's interface and the switch behind which it is; the link's first direction is from the host.

    Args:
        port: of the switch; None: the next one.
        setup: of the host; None: the testbed's.
    """

    host: str
    switch: str
    link: Link
    port: int | None = None
    setup: HostSetup | None = None


@dataclass(frozen=True)
class Trunk:
    """A link between two switches; its first direction is from ``first``."""

    first: str
    second: str
    link: Link
    first_port: int | None = None
    second_port: int | None = None
    """None: the next one."""


@dataclass(frozen=True)
class Layout:
    """A network as every kind of topology describes it."""

    switches: list[str]
    hosts: list[HostLink]
    interfaces: list[HostLink] = field(default_factory=list)
    """The interfaces that hosts have besides their first ones, in order."""
    trunks: list[Trunk] = field(default_factory=list)
    routes: list[list[str]] = field(default_factory=list)
    """Ways from host to host that are not the shortest; they hold in both directions."""
    layers: dict[str, int] = field(default_factory=dict)
    """Of switches that spread packets over all equally short ways: the layer of each, from 0 at the hosts. Those of one layer choose alike,
    so that packets of two hosts pass the same switches in both directions."""
    first_device_id: int = 1
    """P4Runtime's, of the first switch; the others follow."""


class TopologyKind(Strict):
    """A kind of topology: a class with a ``kind`` in a file of its own in this folder, where it is found.

    ``access`` is the link between a host and its switch, the first direction from the host; ``access_of`` changes some of its keys for
    single hosts.
    """

    kind: str
    access: Link
    """The link between a host and its switch."""
    access_of: dict[str, dict[str, Any]] = Field(default={}, examples=[{"h2": {"delay_ms": 40}}])
    """Keys of the access link that differ for single hosts."""

    @property
    @abstractmethod
    def hosts(self) -> list[str]:
        """Host names in order."""

    @abstractmethod
    def layout(self) -> Layout:
        """The network of these keys."""

    def access_link(self, host: str) -> Link:
        """The link of a host."""
        return self.access.but(self.access_of[host]) if host in self.access_of else self.access

    @model_validator(mode="after")
    def _access_of_hosts(self) -> TopologyKind:
        refuse_unknown_hosts("access_of", self.access_of, self.hosts)
        for host in self.access_of:
            try:
                self.access_link(host)
            except ValidationError as error:
                raise ValueError(f"access_of.{host}: {first_error(error, Link)}") from None
        return self


def refuse_apart(switches: Iterable[str], links: Sequence[tuple[str, str]]) -> None:
    """There is a way between any two switches.

    Raises:
        ValueError: there is none between two of them.
    """
    first, *others = switches
    reached = {first}
    for _ in others:
        reached |= {end for link in links for end in link if reached & set(link)}
    alone = [switch for switch in others if switch not in reached]
    if alone:
        raise ValueError(f"there is no way from {first!r} to {alone[0]!r}")


def refuse_unknown_hosts(key: str, named: Iterable[str], hosts: Iterable[str]) -> None:
    """Only hosts that there are can be named.

    Raises:
        ValueError: one of them is no host.
    """
    unknown = sorted(set(named) - set(hosts))
    if unknown:
        raise ValueError(f"{key}: there is no host {unknown[0]!r}")
