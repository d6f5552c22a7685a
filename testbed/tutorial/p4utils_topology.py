"""``topology.json`` as p4-utils writes it when a network starts, which its controllers look things up in (``load_topo``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from testbed.tutorial.addresses import HostAddress
from topo.network_plan import THRIFT_BASE_PORT, NetworkPlan, SwitchPlan

NAME = "topology.json"
CONTROLLERS_END, SWITCHS_END = "eth1", "eth0"
"""p4-utils' names of both ends of the link to a CPU port; only the first one is there, the other end is the switch's own."""


def cpu_interface(switch: str) -> str:
    """The interface at which a controller gets the frames that a switch sends to its CPU port.

    Args:
        switch: its name.
    """
    return f"{switch}-cpu-{CONTROLLERS_END}"


def p4utils_topology(plan: NetworkPlan, addresses: Mapping[str, HostAddress], programs: Mapping[str, str]) -> str:
    """The file's text.

    Args:
        plan: the network.
        addresses: of hosts, with their gateways.
        programs: of switches, by name and without suffix.
    """
    hosts = [_host(name, address) for name, address in addresses.items()]
    switches = [_switch(switch) | _files_of(programs.get(name)) for name, switch in plan.switches.items()]
    # The package networkx, which reads it, called links so until 3.5, and calls them edges since.
    links = list(_links(plan, addresses))
    return (
        json.dumps({"directed": False, "multigraph": False, "graph": {}, "nodes": [*hosts, *switches], "links": links, "edges": links})
        + "\n"
    )


def _host(name: str, address: HostAddress) -> dict[str, Any]:
    route = {} if address.gateway is None else {"defaultRoute": f"via {address.gateway}"}
    return {"id": name, "isHost": True, "isSwitch": False, "ip": str(address.interface), "mac": address.mac, **route}


def _switch(switch: SwitchPlan) -> dict[str, Any]:
    node: dict[str, Any] = {"id": switch.name, "isHost": False, "isSwitch": True, "isP4Switch": True, "isP4RuntimeSwitch": True}
    port = int(switch.grpc_address.rpartition(":")[2])
    node |= {"device_id": switch.device_id, "thrift_port": THRIFT_BASE_PORT + switch.number - 1, "grpc_port": port, "cpu_port": False}
    if switch.cpu_interface is not None:
        own = switch.cpu_interface.removesuffix(CONTROLLERS_END) + SWITCHS_END
        node |= {"cpu_port": True, "cpu_port_num": switch.next_port(), "cpu_intf": own, "cpu_ctl_intf": switch.cpu_interface}
    return node


def _files_of(program: str | None) -> dict[str, str]:
    return {} if program is None else {"json_path": json_name(program), "p4rt_path": p4info_name(program)}


def json_name(program: str) -> str:
    """p4-utils' name of a compiled program."""
    return f"{program}.json"


def p4info_name(program: str) -> str:
    """p4-utils' name of its P4Info."""
    return f"{program}_p4rt.txt"


def _links(plan: NetworkPlan, addresses: Mapping[str, HostAddress]) -> list[dict[str, Any]]:
    links = []
    for switch in plan.switches.values():
        for port in switch.ports:
            if port.peer_port is None:
                address = addresses[port.peer]
                host = _end(1, port.peer, f"{port.peer}-eth0", 0, address.mac, str(address.interface))
                gateway = None if address.gateway is None else f"{address.gateway}/{address.interface.network.prefixlen}"
                ends = host | _end(2, switch.name, f"{switch.name}-eth{port.number}", port.number, address.gateway_mac, gateway)
            elif switch.number < plan.switches[port.peer].number:
                ends = _trunk_end(1, plan, switch, port.number, port.peer) | _trunk_end(
                    2, plan, plan.switches[port.peer], port.peer_port, switch.name
                )
            else:
                continue  # the other switch has told it
            links.append(
                {"source": ends["node1"], "target": ends["node2"], "bw": port.link.rate_mbps, "delay": f"{port.link.delay_ms}ms"} | ends
            )
    return links


def _trunk_end(which: int, plan: NetworkPlan, switch: SwitchPlan, port: int, peer: str) -> dict[str, Any]:
    # p4-utils gives such ports addresses that no interface has, of a network for each link.
    other = plan.switches[peer]
    first, second = sorted((switch.number, other.number))
    address = f"20.{first}.{second}.{which}/24"
    return _end(which, switch.name, f"{switch.name}-eth{port}", port, switch.port_mac(port), address)


def _end(which: int, node: str, interface: str, port: int, mac: str, address: str | None) -> dict[str, Any]:
    told = {"node": node, "intfName": interface, "port": port, "addr": mac}
    told |= {} if address is None else {"ip": address}
    return {f"{key}{which}": value for key, value in told.items()}
