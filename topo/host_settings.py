"""Kernel settings inside a host's network namespace, the same for every scheme that is compared."""

from __future__ import annotations

from mininet.node import Host

from nodectl.errors import UserError
from topo.network_plan import HostPlan, NetworkPlan

SYSCTLS = {
    # Nothing may be carried over from one connection to the next.
    "net.ipv4.tcp_no_metrics_save": "1",
    # Router solicitations and neighbour discovery would be noise on the links.
    "net.ipv6.conf.all.disable_ipv6": "1",
    "net.ipv6.conf.default.disable_ipv6": "1",
}


def configure_host(node: Host, host: HostPlan, plan: NetworkPlan) -> None:
    """Set MTU, socket buffers, initial window and static neighbours in ``node``.

    Raises:
        UserError: the kernel refused a setting; with its own words.
    """
    settings = dict(SYSCTLS)
    for buffer in ("tcp_rmem", "tcp_wmem"):
        settings[f"net.ipv4.{buffer}"] = f"4096 131072 {plan.socket_buffer_bytes}"
    _run(node, "ip", "link", "set", "dev", host.interface, "mtu", str(plan.mtu_bytes))
    for key, value in settings.items():
        _run(node, "sysctl", "-q", "-w", f"{key}={value}", optional="ipv6" in key)
    _run(
        node, "ip", "route", "replace", str(host.address.network), "dev", host.interface, "proto", "kernel", "scope", "link",
        "src", host.ip, "initcwnd", str(plan.initial_window_packets),
    )  # fmt: skip
    for other in plan.hosts.values():
        if other.name != host.name:
            _run(node, "ip", "neigh", "replace", other.ip, "lladdr", other.mac, "dev", host.interface, "nud", "permanent")


def _run(node: Host, *command: str, optional: bool = False) -> None:
    output, error, status = node.pexec(*command)
    if status != 0 and not optional:
        raise UserError(f"{node.name}: {' '.join(command)}: {(output + error).strip()}")
