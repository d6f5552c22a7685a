"""The controller's input: the network description (scenario/network_description.py) of a plan."""

from __future__ import annotations

from common.units import BITS_PER_KILOBIT
from scenario.data_plane import Contract
from scenario.network_description import NetworkDescription, PipelineDescription, PortDescription, SwitchDescription
from topo.data_plane import TESTBEDS, DataPlane, SwitchPipeline
from topo.described_routes import DescribedRoutes
from topo.network_plan import NetworkPlan, PortPlan


def controller_network(plan: NetworkPlan, labels: dict[str, str], data_plane: DataPlane = TESTBEDS) -> NetworkDescription:
    """Describe the plan to the controller.

    Args:
        plan: the network.
        labels: names of transmissions, keyed ``SENDER_IP>RECEIVER_IP``.
        data_plane: the programs of the switches, and their controller.
    """
    is_bare = data_plane.controller is not None and data_plane.controller.contract is Contract.NONE
    routes = DescribedRoutes(plan)
    return NetworkDescription(
        switches=[
            SwitchDescription(
                name=switch.name,
                device_id=switch.device_id,
                grpc_addr=switch.grpc_address,
                pipeline=_pipeline(data_plane.switches.get(switch.name)),
                writes_routes=switch.name not in data_plane.switches or data_plane.switches[switch.name].routes,
                ports=[_port(port) for port in switch.ports],
                host_ports=[port.number for port in switch.ports if port.peer_port is None],
                routes=routes.single(switch),
                spread=routes.spread(switch),
            )
            for switch in plan.switches.values()
            if not is_bare or switch.name in data_plane.switches
        ],
        hosts={host.address.ip: host.name for host in plan.hosts.values()},
        labels=labels,
    )


def _pipeline(own: SwitchPipeline | None) -> PipelineDescription | None:
    return None if own is None else PipelineDescription(program=own.program, p4info=own.p4info, updates=own.updates)


def _port(port: PortPlan) -> PortDescription:
    part = port.link.negotiated_percent / 100
    least_bps = None if part == 1 else max(BITS_PER_KILOBIT, round(port.link.rate_bps * part))
    return PortDescription(port=port.number, capacity_bps=port.link.rate_bps, least_bps=least_bps, peer=port.peer)
