"""A network of any shape: switches, links and hosts as the file lists them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from scenario.base import Name, Strict
from scenario.links import Link
from scenario.schema_errors import first_error
from scenario.topologies.kind import HostLink, Layout, TopologyKind, Trunk, refuse_apart, refuse_unknown_hosts

HostName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z][A-Za-z0-9_]{0,9}$",
        description="a host's name: a letter, then up to 9 letters, digits or _, as a text",
        examples=["h1"],
    ),
]
"""Short enough for an interface name (15 characters) of which it is a part."""

MAX_SWITCHES = 512
MAX_HOSTS = 4096


class GraphLink(Strict):
    """A link between two switches. In a file, a bare pair of names will do."""

    between: Annotated[tuple[Name, Name], Field(examples=[["s1", "s2"]])]
    """Its two switches."""
    link: dict[str, Any] = Field(default={}, examples=[{"rate_mbps": 20}])
    """Its own keys, over those of all trunks; the first direction is from the first-named switch."""

    @model_validator(mode="before")
    @classmethod
    def _from_pair(cls, value: Any) -> Any:
        return {"between": value} if isinstance(value, list | tuple) else value


class Graph(TopologyKind):
    """Switches and hosts joined in any way.

    Packets take the shortest way (fewest links, the same both ways) unless a route says otherwise. A route is a list of
    names from host to host. It holds in both directions, so that the answers to a negotiation pass the same switches.
    """

    kind: Literal["graph"]
    switches: list[Name] = Field(min_length=1, max_length=MAX_SWITCHES, examples=[["s1", "s2"]])
    """Names of the switches."""
    attached: dict[HostName, Name] = Field(min_length=1, max_length=MAX_HOSTS, examples=[{"h1": "s1", "h2": "s2"}])
    """The switch behind which each host is."""
    more_interfaces: dict[HostName, Annotated[list[Name], Field(min_length=1, max_length=7)]] = Field(default={})
    """For hosts with several interfaces: the switches behind which the others are."""
    trunk: Link | None = None
    """Keys that all links between switches have in common."""
    links: list[GraphLink] = Field(default=[], examples=[[["s1", "s2"], ["s2", "s3"]]])
    """Links between switches."""
    routes: list[list[Name]] = Field(default=[], examples=[[["h1", "s1", "s3", "s2", "h2"]]])
    """Routes that are not the shortest, each a list of names from host to host."""

    @property
    def hosts(self) -> list[str]:
        """Host names in the order of the file."""
        return list(self.attached)

    def link_of(self, trunk: GraphLink) -> Link:
        """The parameters that hold for a trunk."""
        return self.trunk.but(trunk.link) if self.trunk else Link.model_validate(trunk.link)

    def layout(self) -> Layout:
        """At every switch first the ports to hosts, then those to switches, in the file's order."""
        return Layout(
            switches=self.switches,
            hosts=[HostLink(host, switch, self.access_link(host)) for host, switch in self.attached.items()],
            interfaces=[HostLink(host, s, self.access_link(host)) for host, switches in self.more_interfaces.items() for s in switches],
            trunks=[Trunk(*trunk.between, self.link_of(trunk)) for trunk in self.links],
            routes=self.routes,
        )

    @model_validator(mode="after")
    def _is_a_network(self) -> Graph:
        self._check_names()
        self._check_interfaces()
        self._check_links()
        refuse_apart(self.switches, [trunk.between for trunk in self.links])
        for route in self.routes:
            self._check_route(route)
        return self

    def _check_names(self) -> None:
        twice = [name for name, count in Counter(self.switches).items() if count > 1]
        both = set(self.switches) & set(self.attached)
        if twice or both:
            raise ValueError(f"the name {(twice or sorted(both))[0]!r} is used twice")
        for host, switch in self.attached.items():
            if switch not in self.switches:
                raise ValueError(f"host {host!r} is attached to {switch!r}, which is no switch")

    def _check_interfaces(self) -> None:
        refuse_unknown_hosts("more_interfaces", self.more_interfaces, self.attached)
        for host, switches in self.more_interfaces.items():
            for switch in switches:
                if switch not in self.switches:
                    raise ValueError(f"host {host!r} has an interface to {switch!r}, which is no switch")

    def _check_links(self) -> None:
        seen: set[frozenset[str]] = set()
        for trunk in self.links:
            first, second = trunk.between
            where = f"link {first}-{second}"
            for end in trunk.between:
                if end not in self.switches:
                    raise ValueError(f"{where}: {end!r} is no switch")
            if first == second:
                raise ValueError(f"{where}: both ends are the same switch")
            if frozenset(trunk.between) in seen:
                raise ValueError(f"{where}: there is one already")
            if not trunk.link and self.trunk is None:
                raise ValueError(f"{where}: it has no parameters, and there is no `trunk` for all of them")
            try:
                self.link_of(trunk)
            except ValidationError as error:
                raise ValueError(f"{where}: {first_error(error, Link)}") from None
            seen.add(frozenset(trunk.between))

    def _check_route(self, route: list[str]) -> None:
        where = f"route {' '.join(route)}"
        if len(route) < 3 or route[0] not in self.attached or route[-1] not in self.attached or route[0] == route[-1]:
            raise ValueError(f"{where}: a route leads from a host over switches to another host")
        if len(set(route)) != len(route):
            raise ValueError(f"{where}: it passes a place twice")
        joined = {frozenset(trunk.between) for trunk in self.links} | {frozenset(pair) for pair in self.attached.items()}
        for step in pairwise(route):
            if frozenset(step) not in joined:
                raise ValueError(f"{where}: there is no link {step[0]}-{step[1]}")
