"""A fat tree: pods of edge and aggregation switches below a core, with as many links up as down.

Source: M. Al-Fares, A. Loukissas, A. Vahdat, "A Scalable, Commodity Data Center Network Architecture", SIGCOMM 2008, section 3.1.
"""

from __future__ import annotations

from itertools import product
from typing import Literal

from pydantic import Field, field_validator

from scenario.links import Link
from scenario.topologies.kind import HostLink, Layout, TopologyKind, Trunk

EDGE, AGGREGATION = 0, 1
"""The layers that choose among ways; from the core one way leads down."""


class FatTree(TopologyKind):
    """``k`` pods: hosts h1… behind edge switches edge1_1…, aggregation switches agg1_1… above them, and core switches core1….

    Packets of two hosts take one of all the shortest ways, both ways the same; a hash of their addresses with the run's seed says which.
    """

    kind: Literal["fat_tree"]
    k: int = Field(ge=2, le=16, examples=[4])
    """Ports of a switch, an even number: k pods of k switches, k²/4 core switches."""
    hosts_per_edge: int | None = Field(default=None, ge=1, le=64)
    """Hosts behind an edge switch; left out, k/2: as many as there are links up. With more, the tree is oversubscribed."""
    aggregation: Link
    """The links between edge and aggregation switches, the first direction upwards."""
    core: Link
    """The links between aggregation and core switches, the first direction upwards."""

    @field_validator("k")
    @classmethod
    def _is_even(cls, k: int) -> int:
        if k % 2:
            raise ValueError(f"{k} is odd: half of a switch's ports lead up")
        return k

    @property
    def hosts(self) -> list[str]:
        """All hosts, those of an edge switch one after the other."""
        behind = self.k // 2 if self.hosts_per_edge is None else self.hosts_per_edge
        return [f"h{number}" for number in range(1, self.k * (self.k // 2) * behind + 1)]

    def layout(self) -> Layout:
        """The i-th aggregation switch of every pod is joined to the same core switches."""
        half = self.k // 2
        pods, places = range(1, self.k + 1), range(1, half + 1)
        edges = [f"edge{pod}_{place}" for pod, place in product(pods, places)]
        aggregations = [f"agg{pod}_{place}" for pod, place in product(pods, places)]
        cores = [f"core{number}" for number in range(1, half * half + 1)]
        behind = len(self.hosts) // len(edges)
        up = [Trunk(f"edge{pod}_{low}", f"agg{pod}_{high}", self.aggregation) for pod, low, high in product(pods, places, places)]
        over = [
            Trunk(f"agg{pod}_{place}", f"core{(place - 1) * half + number}", self.core)
            for pod, place, number in product(pods, places, places)
        ]
        return Layout(
            switches=[*edges, *aggregations, *cores],
            hosts=[HostLink(host, edges[position // behind], self.access_link(host)) for position, host in enumerate(self.hosts)],
            trunks=up + over,
            layers=dict.fromkeys(edges, EDGE) | dict.fromkeys(aggregations, AGGREGATION),
        )
