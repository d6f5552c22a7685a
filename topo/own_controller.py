"""A P4Runtime client of somebody's in the controller's place: started with the switches' addresses, left alone, and looked at."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import grpc
from finsy.proto import p4r, p4r_grpc

from common.errors import UserError
from common.installation import PROJECT
from common.own_module import own_module
from common.units import MS_PER_S
from topo import priorities
from topo.child_process import ChildProcess
from topo.computing import times_of
from topo.data_plane import ControllerProgram, DataPlane
from topo.janitor import Janitor
from topo.network_plan import NetworkPlan, SwitchPlan
from topo.process_state import how_it_ended

NAME = "the controller"
BINDINGS = PROJECT / "controller" / "bindings"
"""``p4.v1`` and the other modules that clients import."""

CHANNEL_PORTS_AFTER = 2000
"""The ports of the way to the switches come so many after theirs."""

CHANNEL_READY_S = 30.0
POLL_S = 0.05
ANSWER_S = 5.0
PLACE = re.compile(r"\{([a-z0-9_]+)(?:\.([A-Za-z0-9_-]+))?\}")


class OwnController:
    """Starts a P4Runtime client in the controller's place.

    Args:
        plan: the network.
        data_plane: the client itself, and the switches' programs that it is told of.
        network: the file that describes the network.
        folder: for its log.
        beside_bmv2: the switches are BMv2's.
    """

    def __init__(self, plan: NetworkPlan, data_plane: DataPlane, network: Path, folder: Path, *, beside_bmv2: bool) -> None:
        own = data_plane.controller
        if own is None or own.program is None:
            raise ValueError("there is no controller of somebody's")
        self._plan = plan
        self._own: ControllerProgram = own
        self._log = folder / "controller.log"
        self._channel_log = folder / "channel.log"
        self._channel_s = times_of(plan.computing).controller_channel_ms / MS_PER_S
        addresses = {name: self._address(switch) for name, switch in plan.switches.items()}
        self._command = [
            *priorities.for_controller(beside_bmv2=beside_bmv2),
            "env", "-C", str(own.program.parent), f"PYTHONPATH={PROJECT}:{BINDINGS}", "PYTHONUNBUFFERED=1",
            sys.executable, own.program.name,
            *(_filled(word, plan, data_plane, network, addresses) for word in self._own.arguments),
        ]  # fmt: skip

    def _address(self, switch: SwitchPlan) -> str:
        """Where the controller finds a switch: behind a way that takes time, if one does."""
        if not self._channel_s:
            return switch.grpc_address
        host, _, port = switch.grpc_address.rpartition(":")
        return f"{host}:{int(port) + CHANNEL_PORTS_AFTER}"

    def start_channel(self, janitor: Janitor) -> ChildProcess | None:
        """Start the way to the switches; None: it takes no time, so there is none.

        Raises:
            UserError: it cannot be started.
        """
        if not self._channel_s:
            return None
        ways = [f"{self._address(switch)}={switch.grpc_address}" for switch in self._plan.switches.values()]
        command = own_module("topo.slow_channel", f"{self._channel_s:.9f}", *ways)
        child = ChildProcess("the controller's channel", command, self._channel_log, janitor)
        child.wait_ready(CHANNEL_READY_S)
        return child

    def start(self, janitor: Janitor) -> ChildProcess:
        """Start it; the output of an earlier one stays in the log."""
        return ChildProcess(NAME, self._command, self._log, janitor, has_events=False, appends=True)

    def wait_until_configured(self, child: ChildProcess) -> None:
        """Wait until every switch has a pipeline.

        Raises:
            UserError: the controller ended with an error, or a switch had none in time; with the end of the controller's output.
        """
        deadline_s = time.monotonic() + self._own.ready_s
        for switch in self._plan.switches.values():
            while not has_pipeline(switch.grpc_address, switch.device_id):
                status = child.process.poll()
                if status not in (None, 0):
                    raise UserError(
                        f"the controller ended: {how_it_ended(status or 0)}\n{child.log_tail()}".rstrip(), f"its log: {child.log}"
                    )
                if time.monotonic() > deadline_s:
                    what = f"the controller gave {switch.name} no pipeline within {self._own.ready_s:g} s"
                    raise UserError(
                        f"{what}\n{child.log_tail()}".rstrip(),
                        "with `sets_pipelines = false` the testbed does it; `ready_s` allows more time",
                    )
                time.sleep(POLL_S)


def has_pipeline(address: str, device: int) -> bool:
    """Whether a switch has a pipeline; one that does not answer has none."""
    wanted = p4r.GetForwardingPipelineConfigRequest(
        device_id=device, response_type=p4r.GetForwardingPipelineConfigRequest.ResponseType.COOKIE_ONLY
    )
    with grpc.insecure_channel(address) as channel:
        try:
            reply = p4r_grpc.P4RuntimeStub(channel).GetForwardingPipelineConfig(wanted, timeout=ANSWER_S)
        except grpc.RpcError:
            return False
    return bool(reply.HasField("config"))


def _filled(word: str, plan: NetworkPlan, data_plane: DataPlane, network: Path, addresses: Mapping[str, str]) -> str:
    """A word of the command with the network in it."""

    def value(found: re.Match[str]) -> str:
        what, name = found[1], found[2]
        if what == "network" and name is None:
            return str(network)
        switch = plan.switches.get(name or next(iter(plan.switches)))
        if switch is None:
            raise UserError(f"controller: {found[0]}: there is no switch {name!r}", f"there are {', '.join(plan.switches)}")
        pipeline = data_plane.switches.get(switch.name)
        values = {"address": addresses[switch.name], "device_id": str(switch.device_id)}
        if pipeline is not None:
            values |= {"p4info": str(pipeline.p4info), "pipeline": str(pipeline.program)}
        if what not in values:
            known = ", ".join(f"{{{one}.{switch.name}}}" for one in values)
            raise UserError(f"controller: {found[0]} stands for nothing", f"there are {known} and {{network}}")
        return values[what]

    return PLACE.sub(value, word)
