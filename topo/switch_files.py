"""The input of the embedded switch process: its network file (`p4switch run FILE`, or `p4switch links FILE` beside BMv2)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from topo.bmv2 import interface_name
from topo.frame_capture import FILE, frames_fields
from topo.link_fields import direction_fields, link_seed
from topo.network_plan import NetworkPlan, PortPlan, SwitchPlan

SAMPLE_INTERVAL_MS = 10
STATE_FILE = "state.jsonl"
"""File of the state that programs other than the testbed's keep, over time: tables with hits, registers, counters."""

STATE_INTERVAL_MS = 500
TRACE_FILE = "trace.jsonl"
"""The end of the names of files with traced packets."""


def switch_network(
    plan: NetworkPlan,
    host_pids: dict[str, int],
    program: Path | None,
    socket: Path,
    samples: Path,
    capture: Sequence[str] = (),
    *,
    keeps_state: bool = False,
) -> dict[str, Any]:
    """The network file as a JSON-able dictionary.

    Args:
        plan: the network.
        host_pids: for each host a process that lives in its network namespace; its TAP device exists already.
        program: BMv2 JSON the switches start with, or None if P4Runtime is to bring it.
        socket: where the management socket is to be.
        samples: folder for the switches' samples.
        capture: ends of links whose frames are recorded there too (topo/frame_capture.py).
        keeps_state: the programs' state is recorded there as well (:data:`STATE_FILE`).
    """
    description = _network(plan, host_pids, socket, samples)
    for switch, described in zip(plan.switches.values(), description["switches"], strict=True):
        if (thrift_port := plan.thrift_port(switch)) is not None:
            described["thrift_port"] = thrift_port
    if capture:
        description["samples"]["frames"] = frames_fields(plan, capture, samples / FILE)
    if keeps_state or any("scheduler" in port.get("egress", {}) for switch in description["switches"] for port in switch["ports"]):
        description["samples"]["queues"] = str(samples / "queues.csv")
    if keeps_state:
        description["samples"]["state"] = {"file": str(samples / STATE_FILE), "interval_ms": STATE_INTERVAL_MS}
    if program is not None:
        for described in description["switches"]:
            described["program"] = str(program)
    return description


def _network(plan: NetworkPlan, host_pids: dict[str, int], socket: Path, samples: Path) -> dict[str, Any]:
    return {
        "switches": [_switch(plan, switch, host_pids) for switch in plan.switches.values()],
        "management_socket": str(socket),
        "samples": {
            "ports": str(samples / "ports.csv"),
            "flows": str(samples / "flows.csv"),
            "interval_ms": SAMPLE_INTERVAL_MS,
        },
    }


def link_network(plan: NetworkPlan, host_pids: dict[str, int], socket: Path, samples: Path, capture: Sequence[str] = ()) -> dict[str, Any]:
    """The same network where each switch is a process of its own: the links between the interfaces alone.

    Arguments as for :func:`switch_network`.
    """
    description = _network(plan, host_pids, socket, samples)
    if capture:
        description["samples"]["frames"] = frames_fields(plan, capture, samples / FILE, beside_bmv2=True)
    for switch in description["switches"]:
        del switch["grpc_addr"], switch["cpu_port"]
        switch.pop("thrift_port", None)
        for port in switch["ports"]:
            port["switch_side"] = {"device": interface_name(switch["name"], port["port"])}
    return description


def _switch(plan: NetworkPlan, switch: SwitchPlan, host_pids: dict[str, int]) -> dict[str, Any]:
    return {
        "name": switch.name,
        "device_id": switch.device_id,
        "grpc_addr": switch.grpc_address,
        "cpu_port": switch.cpu_port,
        "ports": [*(_port(plan, switch, port, host_pids) for port in switch.ports), *_cpu_ports(switch)],
    }


def _cpu_ports(switch: SwitchPlan) -> list[dict[str, Any]]:
    """The port of an interface beside the network: a link without a rate."""
    name = switch.cpu_interface
    return [] if name is None else [{"port": switch.next_port(), "name": name, "tap": {"device": name}}]


def _port(plan: NetworkPlan, switch: SwitchPlan, port: PortPlan, host_pids: dict[str, int]) -> dict[str, Any]:
    description: dict[str, Any] = {
        "port": port.number,
        "name": f"{switch.name}-{port.peer}",
        "egress": _direction(plan, switch.name, port.peer),
    }
    if port.peer_port is not None:
        description["peer"] = {"switch": port.peer, "port": port.peer_port}
    else:
        host = plan.hosts[port.peer]
        description["tap"] = {"device": host.interface, "netns_pid": host_pids[port.peer]}
        description["ingress"] = _direction(plan, port.peer, switch.name)
    return description


def _direction(plan: NetworkPlan, here: str, there: str) -> dict[str, Any]:
    return direction_fields(plan, there, plan.direction(here, there)) | {"seed": link_seed(plan, here, there, plan.seed)}
