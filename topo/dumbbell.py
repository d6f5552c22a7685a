"""The dumbbell of seed 003, figure 4: senders — s1 — bottleneck — s2 — receivers."""

from __future__ import annotations

from nodectl.scenario import BYTES_PER_MEGABYTE, Scenario
from topo.network_plan import GRPC_BASE_PORT, NetworkPlan


def plan_dumbbell(scenario: Scenario, grpc_base_port: int = GRPC_BASE_PORT) -> NetworkPlan:
    """Lay out a scenario's dumbbell: h1…hN behind s1, h(N+1)…h(2N) behind s2."""
    topology = scenario.topology
    plan = NetworkPlan(
        mtu_bytes=scenario.packet_bytes,
        initial_window_packets=scenario.initial_window_packets,
        socket_buffer_bytes=round(scenario.socket_buffer_mb * BYTES_PER_MEGABYTE),
        seed=scenario.seed,
        grpc_base_port=grpc_base_port,
    )
    plan.add_switch("s1")
    plan.add_switch("s2")
    for position, host in enumerate(topology.hosts):
        plan.add_host(host, "s1" if position < topology.pairs else "s2", topology.access)
    plan.add_trunk("s1", "s2", topology.bottleneck)
    return plan
