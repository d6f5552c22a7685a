"""Kernel settings inside a host's network namespace, the same for every scheme that is compared."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from common.errors import UserError
from hosts import mptcp
from topo import rtnetlink
from topo.mininet_nodes import PlannedHost
from topo.network_plan import HostPlan, NetworkPlan
from topo.rtnetlink import Setting

FIRST_TABLE = 100
"""Route table of a host's first interface, if it has several; the others follow."""

MPTCP_SUBFLOWS = "7"
"""Besides the first: as many as Linux allows."""

PARAMETERS = Path("/proc/sys")

OPTIONAL = ("net.ipv6.", "net.ipv4.tcp_congestion_control")
"""How the names of those settings of the testbed's own begin that a kernel may refuse."""

SYSCTLS = {
    # Nothing may be carried over from one connection to the next.
    "net.ipv4.tcp_no_metrics_save": "1",
    # For sockets that choose none: a machine's own default would be another one elsewhere.
    "net.ipv4.tcp_congestion_control": "cubic",
    # Router solicitations and neighbour discovery would be noise on the links.
    "net.ipv6.conf.all.disable_ipv6": "1",
    "net.ipv6.conf.default.disable_ipv6": "1",
}


def configure_host(node: PlannedHost, host: HostPlan, plan: NetworkPlan) -> None:
    """Set address, MTU, socket buffers, initial window and static neighbours of an interface of ``node``.

    A host with several interfaces sends from each by its own route table (policy routing by source address), and its MPTCP opens
    a subflow from each but the first.

    Raises:
        UserError: the kernel refused a setting; with its own words.
    """
    node.namespaces.work(partial(_set_inside, node.name, host, plan))
    if host.setup is not None:
        _carry_out(node, host.setup.commands)
    elif plan.is_multipath and mptcp.explain_missing() is None:
        _carry_out(node, _mptcp(host))


def _set_inside(name: str, host: HostPlan, plan: NetworkPlan) -> None:
    """Without programs, which would take many times as long as their work."""
    settings = SYSCTLS | plan.sysctl | plan.sysctl_of.get(host.node, {})
    for buffer in ("tcp_rmem", "tcp_wmem"):
        settings[f"net.ipv4.{buffer}"] = f"4096 131072 {plan.socket_buffer_bytes}"
    _set(name, settings)
    index = socket.if_nametoindex(host.interface)
    ways = [] if host.setup is not None else [*_routes(host, plan, index), *_neighbours(host, plan, index)]
    try:
        rtnetlink.carry_out([*_interface(host, plan, index), *ways])
    except rtnetlink.RefusedError as error:
        raise UserError(f"{name}: {host.interface}: {error}") from error


def _carry_out(node: PlannedHost, commands: Iterable[str]) -> None:
    """Commands that a host brings, as its own shell takes them."""
    for command in commands:
        output, error, status = node.pexec("sh", "-c", command)
        if status != 0:
            raise UserError(f"{node.name}: {command}: {(output + error).strip() or f'exit code {status}'}")


def _interface(host: HostPlan, plan: NetworkPlan, index: int) -> Iterator[Setting]:
    if host.index == 0:
        yield rtnetlink.link(socket.if_nametoindex("lo"), is_up=True)
    yield rtnetlink.link(index, mac=host.mac)
    yield rtnetlink.address(index, host.address, has_prefix_route=host.index == 0)
    yield rtnetlink.link(index, mtu_bytes=plan.mtu_bytes, is_up=True)


def _routes(host: HostPlan, plan: NetworkPlan, index: int) -> Iterator[Setting]:
    is_multipath = len(plan.interfaces(host.node)) > 1
    own_table = FIRST_TABLE + host.index
    for table in ([rtnetlink.TABLE_MAIN] if host.index == 0 else []) + ([own_table] if is_multipath else []):
        yield rtnetlink.route(
            index,
            host.address.network,
            host.address.ip,
            gateway=plan.gateway if plan.has_gateway else None,
            initial_window_packets=plan.initial_window_packets,
            quick_ack=plan.quick_ack,
            table=table,
        )
    if is_multipath:
        yield rtnetlink.rule(host.address.ip, own_table)


def _mptcp(host: HostPlan) -> Iterator[str]:
    yield f"ip mptcp limits set subflow {MPTCP_SUBFLOWS} add_addr_accepted 0"
    if host.index > 0:
        yield f"ip mptcp endpoint add {host.ip} dev {host.interface} id {host.index} subflow"


def _neighbours(host: HostPlan, plan: NetworkPlan, index: int) -> Iterator[Setting]:
    if plan.has_gateway:
        switch, port = plan.attachment(host.name)
        yield rtnetlink.neighbour(index, plan.gateway, switch.port_mac(port.number))
        return
    for other in plan.hosts.values():
        if other.node != host.node:
            yield rtnetlink.neighbour(index, other.address.ip, other.mac)


def _set(name: str, settings: Mapping[str, str]) -> None:
    for key, value in settings.items():
        file = PARAMETERS / key.replace(".", "/")
        try:
            file.write_text(value)
        except OSError as error:
            if key.startswith(OPTIONAL) and SYSCTLS.get(key) == value:
                continue
            if not file.exists():
                raise UserError(f"{name}: this kernel has no parameter {key}") from error
            raise UserError(f"{name}: the kernel does not take {key} = {value}: {error.strerror}") from error
