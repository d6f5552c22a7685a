"""Kernel settings inside a host's network namespace, the same for every scheme that is compared."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from mininet.node import Host

from common.errors import UserError
from hosts import mptcp
from hosts.host_namespaces import enter, work_apart
from topo.network_plan import HostPlan, NetworkPlan

FIRST_TABLE = 100
"""Route table of a host's first interface, if it has several; the others follow."""

MPTCP_SUBFLOWS = "7"
"""Besides the first: as many as Linux allows."""

PARAMETERS = Path("/proc/sys")

OPTIONAL = "ipv6"
"""In the names of settings that a kernel may do without."""

FAILED_LINE = re.compile(r"Command failed -:(\d+)")
"""How ip says which line of its standard input it means."""

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
    work_apart(lambda: _set(node, settings))
    if host.setup is not None:
        _ip(node, list(_interface(host, plan)))
        _carry_out(node, host.setup.commands)
        return
    _ip(node, [*_interface(host, plan), *_routes(host, plan), *_neighbours(host, plan)])


def _carry_out(node: Host, commands: Iterable[str]) -> None:
    """Commands that a host brings, as its own shell takes them."""
    for command in commands:
        output, error, status = node.pexec("sh", "-c", command)
        if status != 0:
            raise UserError(f"{node.name}: {command}: {(output + error).strip() or f'exit code {status}'}")


def _interface(host: HostPlan, plan: NetworkPlan) -> Iterator[str]:
    if host.index == 0:
        yield "link set dev lo up"
    yield f"link set dev {host.interface} address {host.mac}"
    yield f"address replace {host.address} brd + dev {host.interface}{' noprefixroute' if host.index > 0 else ''}"
    yield f"link set dev {host.interface} mtu {plan.mtu_bytes} up"


def _routes(host: HostPlan, plan: NetworkPlan) -> Iterator[str]:
    is_multipath = len(plan.interfaces(host.node)) > 1
    tables = (["main"] if host.index == 0 else []) + ([str(FIRST_TABLE + host.index)] if is_multipath else [])
    quick_ack = "quickack 1 " if plan.quick_ack else ""
    way = f"via {plan.gateway} dev {host.interface} onlink" if plan.has_gateway else f"dev {host.interface} proto kernel scope link"
    for table in tables:
        yield (f"route replace {host.address.network} {way} src {host.ip} initcwnd {plan.initial_window_packets} {quick_ack}table {table}")
    if is_multipath:
        yield f"rule add from {host.ip} lookup {FIRST_TABLE + host.index}"
    if plan.is_multipath and mptcp.explain_missing() is None:
        yield f"mptcp limits set subflow {MPTCP_SUBFLOWS} add_addr_accepted 0"
        if host.index > 0:
            yield f"mptcp endpoint add {host.ip} dev {host.interface} id {host.index} subflow"


def _neighbours(host: HostPlan, plan: NetworkPlan) -> Iterator[str]:
    if plan.has_gateway:
        switch, port = plan.attachment(host.name)
        yield f"neigh replace {plan.gateway} lladdr {switch.port_mac(port.number)} dev {host.interface} nud permanent"
        return
    for other in plan.hosts.values():
        if other.node != host.node:
            yield f"neigh replace {other.ip} lladdr {other.mac} dev {host.interface} nud permanent"


def _set(node: Host, settings: Mapping[str, str]) -> None:
    """Without a program, which would take many times as long as its work."""
    enter(node.pid, ("net",))
    for key, value in settings.items():
        try:
            (PARAMETERS / key.replace(".", "/")).write_text(value)
        except FileNotFoundError as error:
            if OPTIONAL not in key:
                raise UserError(f"{node.name}: this kernel has no parameter {key}") from error
        except OSError as error:
            raise UserError(f"{node.name}: the kernel does not take {key} = {value}: {error.strerror}") from error


def _ip(node: Host, commands: list[str]) -> None:
    """Carry out all commands by one program: starting one takes longer than its work."""
    program = node.popen("ip", "-batch", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output, _ = program.communicate("\n".join(commands))
    if program.returncode != 0:
        failed = FAILED_LINE.search(output)
        command = commands[int(failed[1]) - 1] if failed else "-batch"
        raise UserError(f"{node.name}: ip {command}: {FAILED_LINE.sub('', output).strip()}")
