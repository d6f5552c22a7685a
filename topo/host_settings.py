"""Kernel settings inside a host's network namespace, the same for every scheme that is compared."""

from __future__ import annotations

from mininet.node import Host

from hosts import mptcp
from protocol.errors import UserError
from topo.network_plan import HostPlan, NetworkPlan

FIRST_TABLE = 100
"""Route table of a host's first interface, if it has several; the others follow."""

MPTCP_SUBFLOWS = "7"
"""Besides the first: as many as Linux allows."""

SYSCTLS = {
    # Nothing may be carried over from one connection to the next.
    "net.ipv4.tcp_no_metrics_save": "1",
    # Router solicitations and neighbour discovery would be noise on the links.
    "net.ipv6.conf.all.disable_ipv6": "1",
    "net.ipv6.conf.default.disable_ipv6": "1",
}


def configure_host(node: Host, host: HostPlan, plan: NetworkPlan) -> None:
    """Set address, MTU, socket buffers, initial window and static neighbours of an interface of ``node``.

    A host with several interfaces sends from each by its own route table (policy routing by source address), and its MPTCP opens
    a subflow from each but the first.

    Raises:
        UserError: the kernel refused a setting; with its own words.
    """
    settings = SYSCTLS | plan.sysctl | plan.sysctl_of.get(host.node, {})
    for buffer in ("tcp_rmem", "tcp_wmem"):
        settings[f"net.ipv4.{buffer}"] = f"4096 131072 {plan.socket_buffer_bytes}"
    if host.index > 0:
        _run(node, "ip", "link", "set", "dev", host.interface, "address", host.mac)
        _run(node, "ip", "address", "replace", str(host.address), "dev", host.interface, "noprefixroute")
    _run(node, "ip", "link", "set", "dev", host.interface, "mtu", str(plan.mtu_bytes), "up")
    for key, value in settings.items():
        _run(node, "sysctl", "-q", "-w", f"{key}={value}", optional="ipv6" in key)
    is_multipath = len(plan.interfaces(host.node)) > 1
    tables = (["main"] if host.index == 0 else []) + ([str(FIRST_TABLE + host.index)] if is_multipath else [])
    for table in tables:
        _run(
            node, "ip", "route", "replace", str(host.address.network), "dev", host.interface, "proto", "kernel", "scope", "link",
            "src", host.ip, "initcwnd", str(plan.initial_window_packets), *(("quickack", "1") if plan.quick_ack else ()), "table", table,
        )  # fmt: skip
    if is_multipath:
        _run(node, "ip", "rule", "add", "from", host.ip, "lookup", str(FIRST_TABLE + host.index))
    if plan.is_multipath and mptcp.explain_missing() is None:
        _run(node, "ip", "mptcp", "limits", "set", "subflow", MPTCP_SUBFLOWS, "add_addr_accepted", "0")
        if host.index > 0:
            _run(node, "ip", "mptcp", "endpoint", "add", host.ip, "dev", host.interface, "id", str(host.index), "subflow")
    for other in plan.hosts.values():
        if other.node != host.node:
            _run(node, "ip", "neigh", "replace", other.ip, "lladdr", other.mac, "dev", host.interface, "nud", "permanent")


def _run(node: Host, *command: str, optional: bool = False) -> None:
    output, error, status = node.pexec(*command)
    if status != 0 and not optional:
        raise UserError(f"{node.name}: {' '.join(command)}: {(output + error).strip()}")
