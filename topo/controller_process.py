"""The controller of a testbed: started with it, and again after it was killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from common.errors import UserError
from common.installation import PROJECT
from common.own_module import own_module
from protocol.variant import CONTROLLER, Variant, VariantName
from scenario.data_plane import Contract
from topo import priorities
from topo.child_process import ChildProcess, Start
from topo.computing import times_of
from topo.controller_files import controller_network
from topo.data_plane import TESTBEDS, DataPlane
from topo.janitor import Janitor
from topo.network_plan import NetworkPlan
from topo.toolchain import SOURCE, Toolchain, program_of

NAME = "the controller"
CONFIGURE_S = 60.0


def run_controller(arguments: list[str]) -> int:
    """The testbed's controller in this process, which ends with its exit code; it imports what is not imported yet."""
    from controller.command_line import main

    return main(arguments)


class ControllerProcess:
    """Starts a testbed's controller, at any time.

    Args:
        plan: the network.
        labels: names of transmissions, keyed ``SENDER_IP>RECEIVER_IP``.
        folder: where its network description and its log go.
        socket: its status socket.
        toolchain, variant: those that the pipeline is compiled with.
        source: the P4 program.
        data_plane: the programs that the switches run instead, and a program in the controller's place. That one keeps the controller's
            contract, and finds the testbed's packages.
        fork: starts the testbed's own program from its arguments, as :func:`run_controller` does; None: it has to be started anew.
    """

    def __init__(
        self,
        plan: NetworkPlan,
        labels: dict[str, str],
        folder: Path,
        socket: Path,
        toolchain: Toolchain,
        variant: Variant,
        source: Path = SOURCE,
        data_plane: DataPlane = TESTBEDS,
        fork: Start | None = None,
    ) -> None:
        self.socket = socket
        self._plan = plan
        self._labels = labels
        self._data_plane = data_plane
        self.network = folder / "controller-network.json"
        self._log = folder / "controller.log"
        times = times_of(plan.computing)
        costs = {
            "--event-ms": times.controller_event_ms,
            "--record-us": times.controller_record_us,
            "--channel-ms": times.controller_channel_ms,
        }
        own = data_plane.controller
        priority = priorities.for_controller(beside_bmv2=toolchain.bmv2 is not None)
        program, self._fork = own_module("controller"), None if priority else fork
        if own is not None and own.contract is Contract.TESTBED:
            program, self._fork = ["env", f"PYTHONPATH={PROJECT}", sys.executable, str(own.program)], None
        pipeline, p4info = toolchain.compile(variant.defines, program_of(variant, source))
        self._command = [
            *([] if self._fork else [*priority, *program]),
            "--network", str(self.network),
            "--p4info", str(p4info),
            "--pipeline", str(pipeline),
            "--status-socket", str(socket),
            *([] if variant.basis is VariantName.PAPER else [f"--variant={variant.basis}"]),
            *(f"--without={decision}" for decision in sorted(variant.without & CONTROLLER)),
            *(f"{option}={cost:g}" for option, cost in costs.items() if cost),
        ]  # fmt: skip

    def start(self, janitor: Janitor, capacities_bps: Mapping[tuple[str, int], int]) -> ChildProcess:
        """Start it; the lines of an earlier one stay in the log.

        Args:
            janitor: told of the process.
            capacities_bps: links that have another rate than planned by now, by switch and port.

        Raises:
            UserError: it cannot be started.
        """
        self.describe(capacities_bps)
        return self._child(janitor)

    def configure(self, janitor: Janitor) -> None:
        """Have the controller give all switches their pipelines and entries, and end.

        Raises:
            UserError: a switch refuses something; the message names the line of the entries.
        """
        self.describe({})
        child = self._child(janitor, "--only-configure")
        try:
            status = child.wait(CONFIGURE_S)
            if status != 0:
                raise UserError(f"the switches were not configured\n{child.log_tail()}".rstrip(), f"the log: {child.log}")
        finally:
            child.stop()

    def _child(self, janitor: Janitor, *more: str) -> ChildProcess:
        return ChildProcess(NAME, [*self._command, *more], self._log, janitor, appends=True, start=self._fork or subprocess.Popen)

    def describe(self, capacities_bps: Mapping[tuple[str, int], int]) -> None:
        """Write the network description."""
        network = controller_network(self._plan, self._labels, self._data_plane)
        switches = []
        for switch in network.switches:
            described = switch
            for (name, port), capacity_bps in capacities_bps.items():
                if name == switch.name:
                    described = described.with_capacity(port, capacity_bps)
            switches.append(described)
        network.model_copy(update={"switches": switches}).write(self.network)
