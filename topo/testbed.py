"""A running testbed: Mininet hosts, switches, links, the controller. Brought up whole or not at all, and taken down whole."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from common.errors import UserError
from common.installation import BINARIES
from common.own_module import own_module
from common.time_mode import is_virtual_time
from hosts.cca import loader
from protocol.variant import COMPLETE, Variant
from scenario.data_plane import Contract
from scenario.run_request import RunRequest
from topo import bmv2, priorities
from topo.allowed_congestion_controls import all_congestion_controls_allowed
from topo.autogroup import prefer_session
from topo.child_process import ChildProcess
from topo.controller_process import ControllerProcess, run_controller
from topo.data_plane import TESTBEDS, DataPlane
from topo.faults import CONTROLLER, Faults
from topo.fork_server import ForkedProcess, ForkServer
from topo.host_settings import configure_host
from topo.interrupts import interrupts_held
from topo.janitor import Janitor
from topo.kernel_parameters import kernel_parameters
from topo.management import ManagementClient
from topo.mininet_nodes import make_mininet
from topo.network_plan import NetworkPlan, SwitchPlan
from topo.preflight import lock_testbed
from topo.processors import KEEP_AWAKE_COMMAND, are_to_be_kept_awake, watch_command
from topo.questions import SocketQuestion
from topo.sending_interfaces import wait_until_sending
from topo.switch_commands import run_commands, run_commands_of_bmv2
from topo.switch_files import TRACE_FILE, link_network, switch_network
from topo.tap_devices import TapDevices
from topo.toolchain import SOURCE, Toolchain
from topo.watch import Part, Watch

if TYPE_CHECKING:
    from mininet.net import Mininet

# Modules that import P4Runtime's are imported where they are needed: they take a tenth of a second of each run in virtual time.

SWITCH_PARTS = {"run": "switch", "links": "links"}
"""Names of the part that `p4switch` is, by its command."""
SWITCH_READY_S = 30.0
CONTROLLER_READY_S = 60.0
PROCESSORS_READY_S = 10.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TestbedOptions:
    """A run's choices about the testbed.

    Args:
        folder: where samples and logs go; must exist.
        labels: names of transmissions for the controller's log, keyed ``SENDER_IP>RECEIVER_IP``.
        congestion_controls: BPF congestion controls to register while the testbed is up.
        variant: decisions that are left out, to measure what they change.
        toolchain: whose compiler and switch.
        p4_source: the program of the testbed's that the switches run.
        data_plane: the programs that they run instead, and their controller.
        receiving: congestion control of the receivers' ends of connections; None: the system's.
        request: a person's wishes: ends of links whose frames are recorded (topo/frame_capture.py), packets that the embedded switches
            trace from the start, into ``SWITCH-trace.jsonl`` (one switch: ``trace.jsonl``).
    """

    folder: Path
    labels: dict[str, str]
    congestion_controls: tuple[str, ...] = ()
    variant: Variant = COMPLETE
    toolchain: Toolchain = field(default_factory=Toolchain)
    p4_source: Path = SOURCE
    data_plane: DataPlane = TESTBEDS
    receiving: str | None = None
    request: RunRequest = field(default_factory=RunRequest)


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
        """When processors stood still (``engine.collect.processor_standstills``); None where the system does not let them be watched."""
        self._cleanup = contextlib.ExitStack()
        self._watch = Watch()
        self._faults: Faults
        self._fork_server: ForkServer
        """Only in virtual time, where most of the cost of bring-up is the start of programs."""

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
    def parts(self) -> Mapping[str, Part]:
        """Every process of the testbed by name, those that have ended included.

        ``controller``; ``switch`` (all of them), or beside BMv2 ``links`` and ``switch s1`` and so on; ``keep-awake``,
        ``standstill watcher``; and programs that :meth:`start_on_host` started, by their names without the article.
        """
        return self._watch.parts

    def check(self, run_start_s: float | None = None) -> None:
        """See that every part is there and works; to be called about ten times a second while a run goes on, and at its end.

        Args:
            run_start_s: when the run's time began (CLOCK_MONOTONIC), for the message.

        Raises:
            PartEndedError: a part ended early, was stopped, or does not answer (topo/watch.py). The measurements are no result.
            UserError: a controller that was started again refuses a link's rate (:meth:`set_capacity`).
        """
        self._faults.go_on()
        self._watch.check(run_start_s)

    def take_events(self) -> list[dict[str, Any]]:
        """The events of parts since the last call (docs/faults.md): killed, restarted, ready, took_over, capacity_set."""
        return self._watch.take_events()

    def kill(self, part: str) -> None:
        """Kill a part; its absence is expected from then on. See :meth:`topo.faults.Faults.kill`."""
        self._faults.kill(part)

    def restart(self, part: str) -> None:
        """Start the controller again, without waiting for it. See :meth:`topo.faults.Faults.restart`."""
        self._faults.restart(part)

    def set_capacity(self, switch: str, port: int, rate_bps: int) -> None:
        """Tell the controller a link's new rate. See :meth:`topo.faults.Faults.set_capacity`."""
        self._faults.set_capacity(switch, port, rate_bps)

    @property
    def _has_bmv2(self) -> bool:
        return self.options.toolchain.bmv2 is not None

    @cached_property
    def _host_priority(self) -> tuple[str, ...]:
        return priorities.for_hosts(beside_bmv2=self._has_bmv2)

    def start_on_host(
        self,
        host: str,
        name: str,
        command: list[str],
        log: Path,
        *,
        takes_commands: bool = False,
        may_end: bool = False,
        may_fail: bool = False,
    ) -> ChildProcess:
        """Start a command inside a host. The caller stops it; the testbed does so at the latest when it goes down.

        ``may_end``: it finishes by itself, with exit code 0; else :meth:`check` takes its end for an error. ``may_fail``: with any exit
        code.
        """
        pid = self.mininet.get(host).pid
        inside = [*self._host_priority, "mnexec", "-a", str(pid), *command]
        child = ChildProcess(name, inside, log, self.janitor, takes_commands=takes_commands)
        self._look_after(child, may_end=may_end, may_fail=may_fail)
        prefer_session(child.process.pid, priorities.PROMPTLY_NICE)
        return child

    def start_agent(self, host: str, arguments: Sequence[str], log: Path, *, alone: bool) -> ChildProcess:
        """Start a host's program (``python -m hosts`` with these arguments). As :meth:`start_on_host`.

        Args:
            host: where it runs.
            arguments: its own.
            log: file for its standard error.
            alone: it has a process of its own, as it always has in real time; else it may share one with other hosts' programs.
        """
        name = f"the agent on {host}"
        if not is_virtual_time():  # there, its priority and its processors matter
            return self.start_on_host(host, name, own_module("hosts", *arguments), log, takes_commands=True)
        start = self._fork_server.start_on(self.mininet.get(host).pid, alone=alone)
        send_signal = None if alone else ForkedProcess.ask
        child = ChildProcess(name, list(arguments), log, self.janitor, takes_commands=True, start=start, send_signal=send_signal)
        return self._look_after(child)

    def _look_after(self, child: ChildProcess, *, may_end: bool = False, may_fail: bool = False) -> ChildProcess:
        self._cleanup.callback(child.stop)
        self._watch.add_child(child, may_end=may_end, may_fail=may_fail)
        return child

    def _start(self, cleanup: contextlib.ExitStack) -> None:
        lock = cleanup.enter_context(lock_testbed())
        _log.debug("testbed locked: %s", lock.name)
        self.janitor = Janitor(is_needed=not is_virtual_time())
        cleanup.callback(self.janitor.close)
        self._runtime = Path(tempfile.mkdtemp(prefix="nodectl-"))
        self.janitor.watch_path(self._runtime)
        cleanup.callback(shutil.rmtree, self._runtime, ignore_errors=True)
        if is_virtual_time():
            self._start_fork_server(cleanup)
        else:  # in virtual time, this machine's processors change nothing
            self._keep_processors_awake(cleanup)
            self._watch_processors(cleanup)
        cleanup.enter_context(kernel_parameters(self.plan.kernel_parameters, self.janitor.watch_setting))
        cleanup.enter_context(all_congestion_controls_allowed(self.janitor.watch_allowed))
        self._register_congestion_controls(cleanup)
        self._start_hosts(cleanup)
        self._start_switches(cleanup)
        self._start_controller(cleanup)
        wait_until_sending({self.mininet.get(node).pid: names for node, names in self._host_interfaces().items()})
        self._watch.start()
        cleanup.callback(self._watch.close)

    def _start_fork_server(self, cleanup: contextlib.ExitStack) -> None:
        """It comes before all else: threads of this process would not be in the fork."""
        socket, log = self._runtime / "fork-server.sock", self.options.folder / "fork-server.log"
        self._fork_server = ForkServer.of_this_process(socket, log, self.janitor, {CONTROLLER: run_controller})
        cleanup.callback(self._fork_server.child.stop)
        self._watch.add_child(self._fork_server.child)

    def _keep_processors_awake(self, cleanup: contextlib.ExitStack) -> None:
        if are_to_be_kept_awake():
            name = "the program that keeps the processors awake"
            self._start_on_processors("keep-awake", name, KEEP_AWAKE_COMMAND, "keep-awake.log", cleanup)

    def _start_on_processors(self, part: str, name: str, command: tuple[str, ...], log: str, cleanup: contextlib.ExitStack) -> None:
        child = ChildProcess(name, list(command), self.options.folder / log, self.janitor, takes_commands=True)
        cleanup.callback(child.stop)
        child.wait_ready(PROCESSORS_READY_S)
        self._watch.add_child(child, part)

    def _watch_processors(self, cleanup: contextlib.ExitStack) -> None:
        file = self.options.folder / "standstills.csv"
        try:
            name = "the program that watches the processors"
            self._start_on_processors("standstill watcher", name, watch_command(file), "watch-processors.log", cleanup)
        except UserError as error:
            _log.warning("when processors stand still will not be known: %s", error.what)
            file.unlink(missing_ok=True)
        else:
            self.standstills_file = file

    def _register_congestion_controls(self, cleanup: contextlib.ExitStack) -> None:
        for name in self.options.congestion_controls:
            if not loader.can_be_chosen(name):  # one that is there already is somebody else's, and stays whatever becomes of the run
                self.janitor.watch_congestion_control(name)
        if not self.options.congestion_controls:
            return
        added, missing = loader.register_possible(list(self.options.congestion_controls))
        self.missing_schemes = {scheme.name: scheme.reason for scheme in missing}
        if added:
            cleanup.callback(_unregister, added)

    def _start_hosts(self, cleanup: contextlib.ExitStack) -> None:
        self.mininet = make_mininet(self.plan)
        cleanup.callback(self._stop_mininet)
        self.mininet.build()
        for host in self.plan.hosts.values():
            configure_host(self.mininet.get(host.node), host, self.plan)
        self.mininet.start()

    def _host_interfaces(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for host in self.plan.hosts.values():
            found.setdefault(host.node, []).append(host.interface)
        return found

    def _stop_mininet(self) -> None:
        # Mininet's own stop() prints to the terminal and needs a complete build; each part is ended on its own instead.
        for node in [*self.mininet.hosts, *self.mininet.switches]:
            with contextlib.suppress(Exception):
                node.terminate()

    def _start_switches(self, cleanup: contextlib.ExitStack) -> None:
        socket = self.switch_socket
        pids = {name: self.mininet.get(host.node).pid for name, host in self.plan.hosts.items()}
        beside = [switch.cpu_interface for switch in self.plan.switches.values() if switch.cpu_interface is not None]
        devices = TapDevices(beside, self.plan.mtu_bytes, self.janitor)
        cleanup.callback(devices.remove)
        devices.make()
        if self.options.toolchain.bmv2 is None:
            is_own = self.options.data_plane != TESTBEDS
            description = switch_network(self.plan, pids, None, socket, self.options.folder, self.options.request.ends, keeps_state=is_own)
            wanted = self.options.request.trace
            trace = wanted and [f"--trace={wanted}", "--trace-file", str(self.options.folder / TRACE_FILE)]
            self._start_p4switch("the switch", "run", description, cleanup, trace or [])
        else:
            # The interfaces first, then the links that hold their other side: BMv2 gives up a port that is not there.
            interfaces = bmv2.switch_interfaces(self.plan, self.janitor)
            cleanup.callback(interfaces.remove)
            interfaces.make()
            description = link_network(self.plan, pids, socket, self.options.folder, self.options.request.ends)
            self._start_p4switch("the link process", "links", description, cleanup)
            self._start_bmv2(self.options.toolchain.bmv2, cleanup)
        self.switches = ManagementClient(socket)
        cleanup.callback(self.switches.close)

    def _start_p4switch(
        self, name: str, command: str, description: dict[str, Any], cleanup: contextlib.ExitStack, more: Sequence[str] = ()
    ) -> None:
        file = self.options.folder / "switch-network.json"
        file.write_text(json.dumps(description, indent=1) + "\n")
        child = ChildProcess(
            name, [str(BINARIES / "p4switch"), command, *more, str(file)], self.options.folder / "switch.log", self.janitor
        )
        cleanup.callback(child.stop)
        child.wait_ready(SWITCH_READY_S)
        self._watch.add_child(child, SWITCH_PARTS[command], question=SocketQuestion(self.switch_socket))

    def _start_bmv2(self, command: Path, cleanup: contextlib.ExitStack) -> None:
        from topo.p4runtime_question import P4RuntimeQuestion

        started: list[tuple[ChildProcess, SwitchPlan]] = []
        for switch in self.plan.switches.values():
            child = bmv2.start_switch(
                command, switch, self.options.folder, self.janitor, self.options.variant.design.priorities, self.plan.thrift_port(switch)
            )
            cleanup.callback(child.stop)
            started.append((child, switch))
        for child, switch in started:
            bmv2.wait_until_listening(child, switch.grpc_address)
            self._watch.add_child(child, f"switch {switch.name}", question=P4RuntimeQuestion(switch.grpc_address))

    def _start_controller(self, cleanup: contextlib.ExitStack) -> None:
        options = self.options
        process = ControllerProcess(
            self.plan,
            options.labels,
            options.folder,
            self.controller_socket,
            options.toolchain,
            options.variant,
            options.p4_source,
            options.data_plane,
            self._fork_server.start_program(CONTROLLER) if is_virtual_time() else None,
        )
        own = options.data_plane.controller
        if own is not None and own.contract is Contract.NONE:
            self._start_without_controller(process)
            self._run_switch_commands()
            return
        if own is not None and own.contract is Contract.P4RUNTIME:
            self._start_own_controller(process, cleanup, sets_pipelines=own.sets_pipelines)
            self._run_switch_commands()
            return

        def start() -> Part:
            self.controller = process.start(self.janitor, self._faults.capacities_bps)
            self._cleanup.callback(self.controller.stop)
            # It stands for a machine of its own too. Its own nice value counts within its session only.
            prefer_session(self.controller.process.pid, priorities.PROMPTLY_NICE)
            return self._watch.add_child(self.controller, CONTROLLER, question=SocketQuestion(self.controller_socket))

        self._faults = Faults(self.plan, self._watch, start, self.controller_socket)
        self._cleanup = cleanup  # until all is up; start() is called again then
        start()
        self.controller.wait_ready(CONTROLLER_READY_S)
        self._run_switch_commands()

    def _start_without_controller(self, process: ControllerProcess) -> None:
        if self.options.data_plane.switches:
            process.configure(self.janitor)

        def start() -> Part:
            raise UserError("there is no controller that could be started", 'the scenario says contract = "none"')

        self._faults = Faults(self.plan, self._watch, start, None)

    def _start_own_controller(self, process: ControllerProcess, cleanup: contextlib.ExitStack, *, sets_pipelines: bool) -> None:
        """Start somebody's controller, which may end when its work is done, and has no status to ask for."""
        from topo.own_controller import OwnController

        options = self.options
        if sets_pipelines:
            process.describe({})
        else:
            process.configure(self.janitor)
        own = OwnController(self.plan, options.data_plane, process.network, options.folder, beside_bmv2=self._has_bmv2)
        channel = own.start_channel(self.janitor)
        if channel is not None:
            cleanup.callback(channel.stop)
            self._watch.add_child(channel)

        def start() -> Part:
            self.controller = own.start(self.janitor)
            self._cleanup.callback(self.controller.stop)
            prefer_session(self.controller.process.pid, priorities.PROMPTLY_NICE)
            return self._watch.add_child(self.controller, CONTROLLER, may_end=True)

        self._faults = Faults(self.plan, self._watch, start, None)
        self._cleanup = cleanup  # until all is up; start() is called again then
        start()
        own.wait_until_configured(self.controller)

    def _run_switch_commands(self) -> None:
        bmv2_command = self.options.toolchain.bmv2
        if bmv2_command is None:
            run_commands(self.options.data_plane, self.switches)
            return
        plan = self.plan
        told = {name: bmv2.thrift_port(bmv2_command, one.grpc_address, plan.thrift_port(one)) for name, one in plan.switches.items()}
        run_commands_of_bmv2(self.options.data_plane, bmv2_command, {name: words[-1] for name, words in told.items() if words})


def _unregister(names: list[str]) -> None:
    try:
        loader.unregister(names)
    except UserError as error:
        # Somebody took it out meanwhile. That must not hide the run's own error.
        _log.warning("%s", error)
