"""From a scenario to the plan of its network."""

from __future__ import annotations

from common.units import BYTES_PER_MEGABYTE
from scenario.run_request import GRPC_BASE_PORT
from scenario.scenario import Scenario
from scenario.topologies import Layout
from topo.network_plan import HOSTS_OF_24, NetworkPlan
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
        quick_ack=scenario.quick_ack,
        sysctl={key: str(value) for key, value in scenario.sysctl.items()},
        sysctl_of={host: {key: str(value) for key, value in settings.items()} for host, settings in scenario.sysctl_of.items()},
        kernel_parameters={key: str(value) for key, value in scenario.kernel_parameters.items()},
        computing=scenario.computing,
        seed=scenario.seed,
        grpc_base_port=grpc_base_port,
    )
    add_layout(plan, scenario.layout)
    for name, own in scenario.switches.items():
        plan.switches[name].cpu_port = plan.switches[name].cpu_port if own.cpu_port is None else own.cpu_port
        plan.switches[name].cpu_interface = own.cpu_interface
    for sender, receiver in dict.fromkeys((t.sender, t.receiver) for t in scenario.all_transmissions):
        for interface in plan.interfaces(sender):
            check_symmetric(plan, interface.name, receiver)
    return plan


def add_layout(plan: NetworkPlan, layout: Layout) -> None:
    """Add switches, hosts and links in the layout's order, which gives ports their numbers."""
    plan.first_device_id = layout.first_device_id
    plan.prefix_length = 24 if len(layout.hosts) + len(layout.interfaces) <= HOSTS_OF_24 else 16
    for switch in layout.switches:
        plan.add_switch(switch)
    for one in layout.hosts:
        plan.add_host(one.host, one.switch, one.link, one.port, one.setup)
    for one in layout.interfaces:
        plan.add_interface(one.host, one.switch, one.link)
    for trunk in layout.trunks:
        plan.add_trunk(trunk.first, trunk.second, trunk.link, trunk.first_port, trunk.second_port)
    plan.routes += layout.routes
    plan.layers |= layout.layers
