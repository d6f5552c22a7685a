"""A running testbed: Mininet hosts, switches, links, the controller. Brought up whole or not at all, and taken down whole."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from mininet.log import lg, setLogLevel
from mininet.net import Mininet

from hosts.cca import loader
from hosts.plan import SAMPLE_INTERVAL_S
from protocol.constants import CPU_PORT
from protocol.errors import UserError
from protocol.variant import COMPLETE, CONTROLLER, Variant
from topo import bmv2, priorities
from topo.autogroup import prefer_session
from topo.child_process import ChildProcess
from topo.controller_files import controller_network
from topo.host_settings import configure_host
from topo.janitor import Janitor
from topo.management import ManagementClient
from topo.mininet_nodes import P4Switch, PlannedTopo, TapLink
from topo.network_plan import NetworkPlan
from topo.preflight import lock_testbed
from topo.processors import KEEP_AWAKE_COMMAND, are_to_be_kept_awake, watch_command
from topo.switch_files import link_network, switch_network
from topo.toolchain import BINARIES, Toolchain

SWITCH_READY_S = 30.0
CONTROLLER_READY_S = 60.0
PROCESSORS_READY_S = 10.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TestbedOptions:
    """What a run may choose of the testbed.

    Args:
        folder: where samples and logs go; must exist.
        labels: names of transmissions for the controller's log, keyed ``SENDER_IP>RECEIVER_IP``.
        congestion_controls: BPF congestion controls to register while the testbed is up.
        variant: decisions that are left out, to measure what they change.
        toolchain: whose compiler and switch.
    """

    folder: Path
    labels: dict[str, str]
    congestion_controls: tuple[str, ...] = ()
    variant: Variant = COMPLETE
    toolchain: Toolchain = field(default_factory=Toolchain)


class Testbed:
    """Context manager: a network that runs inside the ``with`` block and leaves nothing behind.

    Raises (on entry):
        UserError: something did not start; everything that had started is down again.
    """

    __test__ = False  # the name is no pytest class

    def __init__(self, plan: NetworkPlan, options: TestbedOptions) -> None:
        self.plan = plan
        self.options = options
        self.janitor: Janitor
        self.mininet: Mininet
        self.switches: ManagementClient
        self.controller: ChildProcess
        self.missing_schemes: dict[str, str] = {}
        """Those of ``options.congestion_controls`` that cannot be had on this machine, and why."""
        self.standstills_file: Path | None = None
        """When processors stood still (``experiments.standstills``); None where the system does not let them be watched."""
        self._cleanup = contextlib.ExitStack()

    def __enter__(self) -> Testbed:
        with contextlib.ExitStack() as cleanup:
            self._start(cleanup)
            self._cleanup = cleanup.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with interrupts_held():
            self._cleanup.close()

    @property
    def controller_socket(self) -> Path:
        """The controller's status socket."""
        return self._runtime / "controller.sock"

    @property
    def switch_socket(self) -> Path:
        """The switch process's management socket."""
        return self._runtime / "switch.sock"

    @property
    def sample_interval_s(self) -> float:
        """How often hosts may look at their connections without taking from the switches what these need."""
        return bmv2.SAMPLE_INTERVAL_S if self._has_bmv2 else SAMPLE_INTERVAL_S

    @property
    def _has_bmv2(self) -> bool:
        return self.options.toolchain.bmv2 is not None

    @cached_property
    def _host_priority(self) -> tuple[str, ...]:
        return priorities.for_hosts(beside_bmv2=self._has_bmv2)

    def start_on_host(self, host: str, name: str, command: list[str], log: Path, *, takes_commands: bool = False) -> ChildProcess:
        """Start a command inside a host. The caller stops it; the testbed does so at the latest when it goes down."""
        pid = self.mininet.get(host).pid
        inside = [*self._host_priority, "mnexec", "-a", str(pid), *command]
        child = ChildProcess(name, inside, log, self.janitor, takes_commands=takes_commands)
        self._cleanup.callback(child.stop)
        prefer_session(child.process.pid, priorities.PROMPTLY_NICE)
        return child

    def _start(self, cleanup: contextlib.ExitStack) -> None:
        lock = cleanup.enter_context(lock_testbed())
        _log.debug("testbed locked: %s", lock.name)
        self.janitor = Janitor()
        cleanup.callback(self.janitor.close)
        self._runtime = Path(tempfile.mkdtemp(prefix="nodectl-"))
        self.janitor.watch_path(self._runtime)
        cleanup.callback(shutil.rmtree, self._runtime, ignore_errors=True)
        if are_to_be_kept_awake():
            self._start_on_processors("what keeps the processors awake", KEEP_AWAKE_COMMAND, "keep-awake.log", cleanup)
        self._watch_processors(cleanup)
        self._register_congestion_controls(cleanup)
        self._start_hosts(cleanup)
        self._start_switches(cleanup)
        self._start_controller(cleanup)

    def _start_on_processors(self, name: str, command: tuple[str, ...], log: str, cleanup: contextlib.ExitStack) -> None:
        child = ChildProcess(name, list(command), self.options.folder / log, self.janitor, takes_commands=True)
        cleanup.callback(child.stop)
        child.wait_ready(PROCESSORS_READY_S)

    def _watch_processors(self, cleanup: contextlib.ExitStack) -> None:
        file = self.options.folder / "standstills.csv"
        try:
            self._start_on_processors("what watches the processors", watch_command(file), "watch-processors.log", cleanup)
        except UserError as error:
            _log.warning("when processors stand still will not be known: %s", error.what)
            file.unlink(missing_ok=True)
        else:
            self.standstills_file = file

    def _register_congestion_controls(self, cleanup: contextlib.ExitStack) -> None:
        for name in self.options.congestion_controls:
            self.janitor.watch_congestion_control(name)
        if not self.options.congestion_controls:
            return
        added, missing = loader.register_possible(list(self.options.congestion_controls))
        self.missing_schemes = {scheme.name: scheme.reason for scheme in missing}
        if added:
            cleanup.callback(_unregister, added)

    def _start_hosts(self, cleanup: contextlib.ExitStack) -> None:
        setLogLevel("output")
        lg.propagate = False  # it prints by itself
        self.mininet = Mininet(
            topo=PlannedTopo(plan=self.plan), switch=P4Switch, link=TapLink, controller=None, build=False, ipBase="10.0.0.0/24"
        )
        cleanup.callback(self._stop_mininet)
        try:
            self.mininet.build()
        except RuntimeError as error:
            raise UserError(str(error)) from None
        for node in self.mininet.values():
            self.janitor.watch_process(node.pid)
        for host in self.plan.hosts.values():
            configure_host(self.mininet.get(host.node), host, self.plan)
        self.mininet.start()

    def _stop_mininet(self) -> None:
        # Mininet's own stop() prints to the terminal and needs a complete build; each part is ended on its own instead.
        for link in self.mininet.links:
            with contextlib.suppress(Exception):
                link.stop()
        for node in [*self.mininet.hosts, *self.mininet.switches]:
            with contextlib.suppress(Exception):
                node.terminate()

    def _start_switches(self, cleanup: contextlib.ExitStack) -> None:
        socket = self.switch_socket
        pids = {name: self.mininet.get(host.node).pid for name, host in self.plan.hosts.items()}
        if self.options.toolchain.bmv2 is None:
            description = switch_network(self.plan, pids, None, socket, self.options.folder)
            self._start_p4switch("the switch", "run", description, cleanup)
        else:
            # The interfaces first, then the links that hold their other side: BMv2 gives up a port that is not there.
            interfaces = bmv2.SwitchInterfaces(self.plan, self.janitor)
            cleanup.callback(interfaces.remove)
            interfaces.make()
            self._start_p4switch("the link process", "links", link_network(self.plan, pids, socket, self.options.folder), cleanup)
            self._start_bmv2(self.options.toolchain.bmv2, cleanup)
        self.switches = ManagementClient(socket)
        cleanup.callback(self.switches.close)

    def _start_p4switch(self, name: str, command: str, description: dict[str, Any], cleanup: contextlib.ExitStack) -> None:
        file = self.options.folder / "switch-network.json"
        file.write_text(json.dumps(description, indent=1) + "\n")
        child = ChildProcess(name, [str(BINARIES / "p4switch"), command, str(file)], self.options.folder / "switch.log", self.janitor)
        cleanup.callback(child.stop)
        child.wait_ready(SWITCH_READY_S)

    def _start_bmv2(self, command: Path, cleanup: contextlib.ExitStack) -> None:
        started = []
        for switch in self.plan.switches.values():
            child = bmv2.start_switch(command, switch, CPU_PORT, self.options.folder, self.janitor)
            cleanup.callback(child.stop)
            started.append((child, switch.grpc_address))
        for child, address in started:
            bmv2.wait_until_listening(child, address)

    def _start_controller(self, cleanup: contextlib.ExitStack) -> None:
        file = self.options.folder / "controller-network.json"
        controller_network(self.plan, self.options.labels).write(file)
        program, p4info = self.options.toolchain.compile(self.options.variant.defines)
        command = [
            *priorities.for_controller(beside_bmv2=self._has_bmv2), sys.executable, "-m", "controller",
            "--network", str(file),
            "--p4info", str(p4info),
            "--pipeline", str(program),
            "--status-socket", str(self.controller_socket),
        ]  # fmt: skip
        command += [f"--without={decision}" for decision in sorted(self.options.variant.without & CONTROLLER)]
        self.controller = ChildProcess("the controller", command, self.options.folder / "controller.log", self.janitor)
        cleanup.callback(self.controller.stop)
        self.controller.wait_ready(CONTROLLER_READY_S)


def _unregister(names: list[str]) -> None:
    try:
        loader.unregister(names)
    except UserError as error:
        # Somebody took it out meanwhile. That must not hide what the run itself has to say.
        _log.warning("%s", error)


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Let a clean-up finish: Ctrl-C and SIGTERM wait until the block is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        received.append(number)

    previous = {number: signal.signal(number, remember) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
