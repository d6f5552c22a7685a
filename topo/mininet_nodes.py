"""Mininet's view of the testbed: a P4 switch, and links whose host end is a TAP device in the host's namespace.

The embedded switch runs all switches of a network in one process and models the links itself (see docs/links.md),
so a Mininet link here makes no veth pair. The host's end is a persistent TAP device which the switch process attaches
to. The switch's end exists only inside that process.
"""

from __future__ import annotations

import signal
from typing import Any

from mininet.link import Intf, Link
from mininet.node import Host, Node, Switch
from mininet.topo import Topo

from topo.network_plan import NetworkPlan


class HostIntf(Intf):  # type: ignore[misc]
    """A host's TAP device, which is set up later with all else of the host (topo/host_settings.py)."""

    def config(self, **_params: Any) -> dict[str, Any]:
        """Nothing yet: each of Mininet's steps would be a program."""
        return {}


class SwitchPortIntf(Intf):  # type: ignore[misc]
    """A switch port that is inside the switch process: known to Mininet by name only, not to the kernel."""

    def config(self, **_params: Any) -> dict[str, Any]:
        """Nothing to configure in the kernel."""
        return {}

    def ifconfig(self, *_args: Any) -> str:
        """Report the port as up, the way Mininet reads it."""
        return "UP"

    def delete(self) -> None:
        """Forget the port."""
        self.node.delIntf(self)
        self.link = None

    def status(self) -> str:
        """The switch process has the port as long as it runs."""
        return "OK"


class TapLink(Link):  # type: ignore[misc]
    """A link between a host and a P4 switch, or between two P4 switches."""

    def __init__(self, node1: Node, node2: Node, **params: Any) -> None:
        kinds = [SwitchPortIntf if isinstance(node, Switch) else HostIntf for node in (node1, node2)]
        super().__init__(node1, node2, cls1=kinds[0], cls2=kinds[1], **params)

    @classmethod
    def makeIntfPair(  # noqa: N802 - Mininet's name
        cls,
        intfname1: str,
        intfname2: str,
        addr1: str | None = None,  # noqa: ARG003
        addr2: str | None = None,  # noqa: ARG003
        node1: Node | None = None,
        node2: Node | None = None,
        deleteIntfs: bool = True,  # noqa: N803, ARG003
    ) -> None:
        """Make a persistent TAP device for each end that is a host.

        Raises:
            RuntimeError: the kernel refuses to make the device.
        """
        for node, interface in ((node1, intfname1), (node2, intfname2)):
            if node is None or isinstance(node, Switch):
                continue
            output, error, status = node.pexec("ip", "tuntap", "add", "dev", interface, "mode", "tap")
            if status != 0:
                raise RuntimeError(f"cannot make TAP device {interface} in {node.name}: {(output + error).strip()}")


class _QuickShell(Node):  # type: ignore[misc]
    """A node whose shell starts quickly."""

    def startShell(self, mnopts: str | None = None) -> None:  # noqa: N802 - Mininet's name
        """Start it without ``mnexec -c``, which closes every number that a file could have, one by one: Python's files end at ``exec``."""
        super().startShell(mnopts or "-d")


class PlannedHost(_QuickShell, Host):  # type: ignore[misc]
    """A host of the testbed."""

    def config(self, **params: Any) -> dict[str, Any]:
        """Know the addresses of the first interface, which gets them later (topo/host_settings.py)."""
        if (interface := self.defaultIntf()) is not None:
            interface.mac = params["mac"]
            interface.ip, interface.prefixLen = params["ip"].split("/")
        return {}


class P4Switch(_QuickShell, Switch):  # type: ignore[misc]
    """A P4 switch of the testbed. The switch process runs all of them; Mininet starts and stops nothing here."""

    def start(self, controllers: list[Any]) -> None:
        """The switch process is started by the testbed, with all switches in it."""

    def stop(self, deleteIntfs: bool = True) -> None:  # noqa: N803 - Mininet's name
        """Forget the ports."""
        super().stop(deleteIntfs)


def release_shell(node: Node) -> None:
    """See that Mininet can end a node whatever became of its shell: it would wait for ever for the answer of a stopped or dead one."""
    if node.shell is None:
        return
    if node.shell.poll() is None:
        node.shell.send_signal(signal.SIGCONT)
    else:
        node.shell = None


class PlannedTopo(Topo):  # type: ignore[misc]
    """A Mininet topology with the nodes, port numbers and addresses of a plan."""

    def build(self, plan: NetworkPlan) -> None:
        """Add the plan's nodes and links."""
        for switch in plan.switches.values():
            self.addSwitch(switch.name, dpid=f"{switch.number:016x}")
        for host in plan.hosts.values():
            if host.index == 0:
                self.addHost(host.name, ip=str(host.address), mac=host.mac)
        for switch in plan.switches.values():
            for port in switch.ports:
                if port.peer_port is None:
                    host = plan.hosts[port.peer]
                    self.addLink(host.node, switch.name, port1=host.index, port2=port.number, intfName1=host.interface)
                elif switch.number < plan.switches[port.peer].number:
                    self.addLink(switch.name, port.peer, port1=port.number, port2=port.peer_port)
