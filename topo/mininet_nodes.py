"""Mininet's view of the testbed: a P4 switch, and links whose host end is a TAP device in the host's namespace.

The embedded switch runs all switches of a network in one process and models the links itself (see docs/links.md),
so a Mininet link here makes no veth pair. The host's end is a persistent TAP device which the switch process attaches
to. The switch's end exists only inside that process.
"""

from __future__ import annotations

import logging
import signal
from functools import partial
from subprocess import Popen
from typing import Any

from mininet.link import Intf, Link
from mininet.log import lg, setLogLevel
from mininet.net import Mininet
from mininet.node import Host, Node, Switch
from mininet.topo import Topo

from common.errors import UserError
from hosts.host_namespaces import HostNamespaces
from topo.network_plan import NetworkPlan
from topo.tap_devices import make_tap_device

# Mininet makes its own class that of all loggers from then on: those of the controller, a fork of this process, would lose most lines.
logging.setLoggerClass(logging.Logger)


class PlannedIntf(Intf):  # type: ignore[misc]
    """The end of a link. It is set up with all else of its host (topo/host_settings.py), and ends with its namespace."""

    def config(self, **_params: Any) -> dict[str, Any]:
        """Nothing yet: each of Mininet's steps would be a program."""
        return {}

    def delete(self) -> None:
        """Forget it."""
        self.node.delIntf(self)
        self.link = None


class SwitchPortIntf(PlannedIntf):
    """A switch port that is inside the switch process: known to Mininet by name only, not to the kernel."""

    def ifconfig(self, *_args: Any) -> str:
        """Report the port as up, the way Mininet reads it."""
        return "UP"

    def status(self) -> str:
        """The switch process has the port as long as it runs."""
        return "OK"


class TapLink(Link):  # type: ignore[misc]
    """A link between a host and a P4 switch, or between two P4 switches."""

    def __init__(self, node1: Node, node2: Node, **params: Any) -> None:
        kinds = [SwitchPortIntf if isinstance(node, Switch) else PlannedIntf for node in (node1, node2)]
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
            UserError: the kernel refuses to make the device.
        """
        for node, interface in ((node1, intfname1), (node2, intfname2)):
            if isinstance(node, PlannedHost):
                node.namespaces.work(partial(make_tap_device, interface))


class _LateShell(Node):  # type: ignore[misc]
    """A node whose shell starts when somebody gives it a command: in most runs nobody does."""

    shell: Popen[bytes] | None
    isSetup = True  # noqa: N815 - Mininet's name
    """It would look for programs that a late shell may never need."""

    def startShell(self, mnopts: str | None = None) -> None:  # noqa: N802 - Mininet's name
        """Not yet."""

    def cmd(self, *args: Any, **kwargs: Any) -> Any:
        """Give the shell a command; the command's output."""
        self._have_shell()
        return super().cmd(*args, **kwargs)

    def sendCmd(self, *args: Any, **kwargs: Any) -> None:  # noqa: N802 - Mininet's name
        """Give the shell a command, without waiting."""
        self._have_shell()
        super().sendCmd(*args, **kwargs)

    def _have_shell(self) -> None:
        if self.shell is None:
            self._start_shell()

    def _start_shell(self, options: str = "-d") -> None:
        """Start it without ``mnexec -c``, which closes every number that a file could have, one by one: Python's files end at ``exec``."""
        super().startShell(options)

    def terminate(self) -> None:
        """End the shell, whatever became of it: Mininet would wait for ever for the answer of a stopped or dead one."""
        if self.shell is not None:
            if self.shell.poll() is None:
                self.shell.send_signal(signal.SIGCONT)
            else:
                self.shell = None
        super().terminate()


class PlannedHost(_LateShell, Host):  # type: ignore[misc]
    """A host of the testbed.

    Raises:
        UserError: the kernel refuses to make its namespaces.
    """

    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, **params)
        try:
            self.namespaces = HostNamespaces()
        except OSError as error:
            raise UserError(f"cannot make the network namespace of {name}: {error.strerror}") from error
        self.pid = self.namespaces.thread_id

    def _start_shell(self, options: str = "-d") -> None:
        # Mininet would make other namespaces, and call the shell the node's process.
        self.inNamespace = False
        super()._start_shell(f"{options}a{self.namespaces.thread_id}")
        self.inNamespace, self.pid = True, self.namespaces.thread_id

    def config(self, **params: Any) -> dict[str, Any]:
        """Know the addresses of the first interface, which gets them later (topo/host_settings.py)."""
        if (interface := self.defaultIntf()) is not None:
            interface.mac = params["mac"]
            interface.ip, interface.prefixLen = params["ip"].split("/")
        return {}

    def terminate(self) -> None:
        """End the shell and leave the namespaces."""
        try:
            super().terminate()
        finally:
            self.namespaces.close()


class P4Switch(_LateShell, Switch):  # type: ignore[misc]
    """A P4 switch of the testbed. The switch process runs all of them; Mininet starts and stops nothing here."""

    def __init__(self, name: str, **params: Any) -> None:
        # For a switch that is in no namespace of its own, Mininet has a program bring up this machine's loopback interface.
        super().__init__(name, **params | {"inNamespace": True})
        self.inNamespace = False
        self.controlIntf = PlannedIntf("lo", self, port=0)

    def start(self, controllers: list[Any]) -> None:
        """The switch process is started by the testbed, with all switches in it."""

    def stop(self, deleteIntfs: bool = True) -> None:  # noqa: N803 - Mininet's name
        """Forget the ports."""
        super().stop(deleteIntfs)


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


def make_mininet(plan: NetworkPlan) -> Mininet:
    """Mininet's network of a plan, to be built. It prints by itself."""
    setLogLevel("output")
    lg.propagate = False
    return Mininet(
        topo=PlannedTopo(plan=plan),
        host=PlannedHost,
        switch=P4Switch,
        link=TapLink,
        controller=None,
        build=False,
        ipBase=f"10.0.0.0/{plan.prefix_length}",
    )
