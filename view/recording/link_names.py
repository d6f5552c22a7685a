"""Names of links' directions in samples, pictures and on the page: ``s1-s2`` is from s1 to s2, as CAPTURE names their ends."""

from __future__ import annotations

from topo.network_plan import NetworkPlan

PortSide = tuple[str, int, str]
"""Switch, port and "egress" or "ingress": how samples name a direction of a link."""


def link_name(here: str, there: str) -> str:
    """The direction from a node to its neighbour; a host's further interfaces are called ``h2.1``."""
    return f"{here}-{there}"


def link_names(plan: NetworkPlan) -> dict[PortSide, str]:
    """Every direction's name, by the port and side that model it, in the plan's order."""
    found = {}
    for here, there in plan.directions():
        switch, port, side = plan.end_of(here, there)
        found[switch.name, port.number, side] = link_name(here, there)
    return found
