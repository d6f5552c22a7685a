"""BMv2's switches: a simple_switch_grpc process each, on interfaces whose other side the link process holds.

A port of a switch is a TAP device in the testbed's own network namespace, named as Mininet names it (s1-eth2). BMv2 opens
its interface; the link process (`p4switch links`) holds the TAP itself, and models both directions of the link.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from functools import cache
from pathlib import Path

from common.errors import UserError
from topo import priorities
from topo.child_process import ChildProcess
from topo.janitor import Janitor
from topo.network_plan import NetworkPlan, SwitchPlan
from topo.process_state import how_it_ended

READY_S = 30.0
POLL_S = 0.05
SAMPLE_INTERVAL_S = 0.01
"""How often hosts look at their connections: every millisecond, as beside the embedded switch, takes processor time that BMv2 needs."""


THRIFT_OPTION = "--thrift-port"
THRIFT_PORTS_AFTER = 1000
"""A switch's port for Thrift, which nobody uses here, counted from that for P4Runtime."""


def interface_name(switch: str, port: int) -> str:
    """The interface that BMv2 opens for a port."""
    return f"{switch}-eth{port}"


def interfaces(plan: NetworkPlan) -> list[str]:
    """Names of the TAP devices of all ports of all switches."""
    return [interface_name(switch.name, port.number) for switch in plan.switches.values() for port in switch.ports]


def start_switch(command: Path, switch: SwitchPlan, cpu_port: int, folder: Path, janitor: Janitor, classes: int = 1) -> ChildProcess:
    """Start one switch without a program: the controller brings it. See :func:`wait_until_listening`.

    Args:
        command: of BMv2.
        switch: which one.
        cpu_port: the controller's.
        folder: for its log.
        janitor: knows of it.
        classes: of packets, which its queues keep apart; it drops what is of another.
    """
    interfaces = [word for port in switch.ports for word in ("-i", f"{port.number}@{interface_name(switch.name, port.number)}")]
    arguments = [
        *on_one_cpu(switch.number), *priorities.for_bmv2(),
        str(command), "--no-p4", "--device-id", str(switch.device_id), "--log-level", "warn",
        *thrift_port(command, switch.grpc_address), *interfaces,
        "--", "--grpc-server-addr", switch.grpc_address, "--cpu-port", str(cpu_port),
        *(["--priority-queues", str(classes)] if classes > 1 else []),
    ]  # fmt: skip
    return ChildProcess(f"BMv2 ({switch.name})", arguments, folder / f"bmv2-{switch.name}.log", janitor, has_events=False)


def thrift_port(command: Path, grpc_address: str) -> tuple[str, ...]:
    """What to tell a switch about Thrift: BMv2 that is built with it serves it always, each switch at the same port unless told another;
    BMv2 that is built without does not know the option."""
    if not _has_thrift(command):
        return ()
    return THRIFT_OPTION, str(int(grpc_address.rpartition(":")[2]) + THRIFT_PORTS_AFTER)


@cache
def _has_thrift(command: Path) -> bool:
    try:
        options = subprocess.run([str(command), "--help"], capture_output=True, text=True, check=False)
    except OSError:
        return False  # whoever starts it says why it cannot be
    return THRIFT_OPTION in options.stdout + options.stderr


def wait_until_listening(child: ChildProcess, address: str, timeout_s: float = READY_S) -> None:
    """Wait until a switch's P4Runtime server listens.

    Raises:
        UserError: the switch ended, or did not listen in time; with the end of its log.
    """
    host, _, port = address.rpartition(":")
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        status = child.process.poll()
        if status is not None:
            raise UserError(f"{child.name} ended: {how_it_ended(status)}\n{child.log_tail()}".rstrip(), f"its log: {child.log}")
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), timeout=POLL_S):
            return
        time.sleep(POLL_S)
    raise UserError(f"{child.name} did not listen on {address}\n{child.log_tail()}".rstrip(), f"its log: {child.log}")


def on_one_cpu(number: int) -> tuple[str, ...]:
    """What to put before the command: all threads of a switch on one CPU, the switches in turn on those that may be used.

    BMv2 hands each packet through four threads. Waking one on another CPU costs more than the work that it does there.
    """
    if shutil.which("taskset") is None:
        return ()
    cpus = sorted(os.sched_getaffinity(0))
    return ("taskset", "--cpu-list", str(cpus[number % len(cpus)]))
