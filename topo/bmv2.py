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
from topo.tap_devices import TapDevices

READY_S = 30.0
POLL_S = 0.05


THRIFT_OPTION = "--thrift-port"
THRIFT_PORTS_AFTER = 1000
"""A switch's port for Thrift, counted from that for P4Runtime, where no controller wants another."""


def interface_name(switch: str, port: int) -> str:
    """The interface that BMv2 opens for a port."""
    return f"{switch}-eth{port}"


def switch_interfaces(plan: NetworkPlan, janitor: Janitor) -> TapDevices:
    """The interfaces of all ports of all switches, still to be made.

    Args:
        plan: the network.
        janitor: told of each before it is made.
    """
    names = [interface_name(switch.name, port) for switch in plan.switches.values() for port in port_numbers(switch)]
    return TapDevices(names, plan.mtu_bytes, janitor)


def port_numbers(switch: SwitchPlan) -> list[int]:
    """Numbers of the ports that BMv2 opens an interface for: those of links, and the one of a ``cpu_interface``."""
    return [port.number for port in switch.ports] + ([] if switch.cpu_interface is None else [switch.next_port()])


def start_switch(
    command: Path, switch: SwitchPlan, folder: Path, janitor: Janitor, classes: int = 1, thrift: int | None = None
) -> ChildProcess:
    """Start one switch without a program: the controller brings it. See :func:`wait_until_listening`.

    Args:
        command: of BMv2.
        switch: which one.
        folder: for its log.
        janitor: told of it.
        classes: number of packet classes, which its queues keep apart; it drops packets of any other.
        thrift: the port for Thrift; None: one that nobody else has (:func:`thrift_port`).
    """
    interfaces = [word for port in port_numbers(switch) for word in ("-i", f"{port}@{interface_name(switch.name, port)}")]
    arguments = [
        *on_one_cpu(switch.number), *priorities.for_bmv2(),
        str(command), "--no-p4", "--device-id", str(switch.device_id), "--log-level", "warn",
        *thrift_port(command, switch.grpc_address, thrift), *interfaces,
        "--", "--grpc-server-addr", switch.grpc_address, "--cpu-port", str(switch.cpu_port),
        *(["--priority-queues", str(classes)] if classes > 1 else []),
    ]  # fmt: skip
    return ChildProcess(f"BMv2 ({switch.name})", arguments, folder / f"bmv2-{switch.name}.log", janitor, has_events=False)


def thrift_port(command: Path, grpc_address: str, wanted: int | None = None) -> tuple[str, ...]:
    """Options for a switch's Thrift port; none where BMv2 is built without Thrift, since it does not know them then.

    BMv2 that is built with Thrift always serves it, each switch at the same port unless told another.

    Args:
        command: of BMv2.
        grpc_address: of its P4Runtime server.
        wanted: where controllers look for it; None: nobody does, and it is some way from the P4Runtime server.
    """
    if not _has_thrift(command):
        return ()
    port = int(grpc_address.rpartition(":")[2]) + THRIFT_PORTS_AFTER if wanted is None else wanted
    return THRIFT_OPTION, str(port)


@cache
def _has_thrift(command: Path) -> bool:
    try:
        options = subprocess.run([str(command), "--help"], capture_output=True, text=True, check=False)
    except OSError:
        return False  # the start of a switch says why it cannot be started
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
    """Words to put before a command: all threads of a switch run on one CPU, the switches take the allowed CPUs in turn.

    BMv2 hands each packet through four threads. Waking one on another CPU costs more than the work that it does there.
    """
    if shutil.which("taskset") is None:
        return ()
    cpus = sorted(os.sched_getaffinity(0))
    return ("taskset", "--cpu-list", str(cpus[number % len(cpus)]))
