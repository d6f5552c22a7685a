"""Leaves and spines: hosts behind leaf switches, each of which has a link to every spine switch.

Source: M. Alizadeh et al., "CONGA: Distributed Congestion-Aware Load Balancing for Datacenters", SIGCOMM 2014, section 2.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scenario.links import Link
from scenario.topologies.kind import HostLink, Layout, TopologyKind, Trunk


class LeafSpine(TopologyKind):
    """Hosts h1… behind leaf switches leaf1…, each with a link to all of the spine switches spine1….

    Packets of two hosts take one of the spine switches, both ways the same; a hash of their addresses with the run's seed says which.
    """

    kind: Literal["leaf_spine"]
    leaves: int = Field(ge=1, le=128, examples=[4])
    """Switches with hosts behind them."""
    spines: int = Field(ge=1, le=64, examples=[2])
    """Switches between them."""
    hosts_per_leaf: int = Field(ge=1, le=128, examples=[4])
    """Hosts behind a leaf switch."""
    uplink: Link
    """The links between leaf and spine switches, the first direction upwards."""

    @property
    def hosts(self) -> list[str]:
        """All hosts, those of a leaf switch one after the other."""
        return [f"h{number}" for number in range(1, self.leaves * self.hosts_per_leaf + 1)]

    def layout(self) -> Layout:
        """Only leaf switches have a choice."""
        leaves = [f"leaf{number}" for number in range(1, self.leaves + 1)]
        spines = [f"spine{number}" for number in range(1, self.spines + 1)]
        return Layout(
            switches=leaves + spines,
            hosts=[
                HostLink(host, leaves[position // self.hosts_per_leaf], self.access_link(host)) for position, host in enumerate(self.hosts)
            ],
            trunks=[Trunk(leaf, spine, self.uplink) for leaf in leaves for spine in spines],
            layers=dict.fromkeys(leaves, 0),
        )
