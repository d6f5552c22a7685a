"""From a scenario to the plan of its network."""

from __future__ import annotations

from scenario.file import BYTES_PER_MEGABYTE, Scenario
from scenario.topologies.graph import Graph
from topo.dumbbell import add_dumbbell
from topo.graph import add_graph
from topo.network_plan import GRPC_BASE_PORT, NetworkPlan
from topo.routes import check_symmetric


def plan_network(scenario: Scenario, grpc_base_port: int = GRPC_BASE_PORT) -> NetworkPlan:
    """Lay out a scenario's network.

    Raises:
        UserError: its routes contradict each other, or a transmission's answers would come back another way.
    """
    plan = NetworkPlan(
        mtu_bytes=scenario.packet_bytes,
        initial_window_packets=scenario.initial_window_packets,
        socket_buffer_bytes=round(scenario.socket_buffer_mb * BYTES_PER_MEGABYTE),
        seed=scenario.seed,
        grpc_base_port=grpc_base_port,
    )
    if isinstance(scenario.topology, Graph):
        add_graph(plan, scenario.topology)
    else:
        add_dumbbell(plan, scenario.topology)
    for transmission in scenario.transmissions:
        for interface in plan.interfaces(transmission.sender):
            check_symmetric(plan, interface.name, transmission.receiver)
    return plan
