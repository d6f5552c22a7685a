"""Senders — s1 — bottleneck — s2 — receivers (Liu et al. 2023, figure 4)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from scenario.base import Name
from scenario.links import Link
from scenario.topologies.kind import HostLink, Layout, TopologyKind, Trunk, refuse_unknown_hosts


class Dumbbell(TopologyKind):
    """``pairs`` senders h1…hN behind s1, as many receivers h(N+1)…h(2N) behind s2; the bottleneck's first direction is s1 → s2."""

    kind: Literal["dumbbell"]
    pairs: int = Field(ge=1, le=2000)
    """Senders, and as many receivers."""
    bottleneck: Link
    """The link from s1 to s2."""
    more_interfaces: dict[Name, Annotated[int, Field(ge=1, le=7)]] = Field(default={})
    """How many access links a host has besides its first one."""

    @model_validator(mode="after")
    def _interfaces_belong_to_hosts(self) -> Dumbbell:
        refuse_unknown_hosts("more_interfaces", self.more_interfaces, self.hosts)
        return self

    @property
    def hosts(self) -> list[str]:
        """All senders, then all receivers."""
        return [f"h{number}" for number in range(1, 2 * self.pairs + 1)]

    def layout(self) -> Layout:
        """Two switches."""
        switch = {host: "s1" if position < self.pairs else "s2" for position, host in enumerate(self.hosts)}
        return Layout(
            switches=["s1", "s2"],
            hosts=[HostLink(host, switch[host], self.access_link(host)) for host in self.hosts],
            interfaces=[
                HostLink(host, switch[host], self.access_link(host)) for host, count in self.more_interfaces.items() for _ in range(count)
            ],
            trunks=[Trunk("s1", "s2", self.bottleneck)],
        )
