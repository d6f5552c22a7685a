"""A network of any shape: switches, links and hosts as the scenario lists them."""

from __future__ import annotations

from scenario.topologies.graph import Graph
from topo.network_plan import NetworkPlan


def add_graph(plan: NetworkPlan, graph: Graph) -> None:
    """Lay out a scenario's graph: at every switch first the ports to hosts, then those to switches, in the file's order."""
    for switch in graph.switches:
        plan.add_switch(switch)
    for host, switch in graph.attached.items():
        plan.add_host(host, switch, graph.access)
    for host, switches in graph.more_interfaces.items():
        for switch in switches:
            plan.add_interface(host, switch, graph.access)
    for trunk in graph.links:
        plan.add_trunk(*trunk.between, graph.link_of(trunk))
    plan.routes += graph.routes
