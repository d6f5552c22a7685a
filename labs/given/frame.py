"""The frame of a controller: connects to the switches with finsy, loads the program, fills in its tables, answers the testbed.

Nothing to write here.
It is started with the options of ``python -m controller``, and calls ``serve(switch, capacities)`` for each switch.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import finsy

from protocol.constants import CLONE_SESSION, CPU_PORT
from scenario.network_description import SwitchDescription, load_network

Serve = Callable[[finsy.Switch, dict[int, int]], Awaitable[None]]


def run(serve: Serve) -> None:
    """Control the network until told to stop.

    Args:
        serve: is given each switch, connected and with its tables filled in, and the capacity of its ports in kbit/s.
    """
    parser = argparse.ArgumentParser()
    for option in ("--network", "--p4info", "--pipeline", "--status-socket"):
        parser.add_argument(option, type=Path, required=True)
    options, _ = parser.parse_known_args()
    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(_main(serve, options))


async def _main(serve: Serve, options: argparse.Namespace) -> None:
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    network = load_network(options.network)
    waiting = {switch.name for switch in network.switches}

    def handler(description: SwitchDescription) -> Callable[[finsy.Switch], Awaitable[None]]:
        async def ready(switch: finsy.Switch) -> None:
            await switch.delete_all()
            await switch.write(_entries(description))
            waiting.discard(switch.name)
            if not waiting:
                print(json.dumps({"event": "ready"}), flush=True)
            try:
                await serve(switch, {port.port: port.capacity_kbps for port in description.ports})
            except Exception:
                # finsy would only log it, and go on without a controller.
                sys.excepthook(*sys.exc_info())
                task.cancel()

        return ready

    pipeline = finsy.SwitchOptions(p4info=options.p4info, p4blob=options.pipeline)
    switches = [
        finsy.Switch(one.name, one.grpc_addr, pipeline(device_id=one.device_id, ready_handler=handler(one))) for one in network.switches
    ]
    async with await asyncio.start_unix_server(_answer, options.status_socket):
        await finsy.Controller(switches).run()


def _entries(switch: SwitchDescription) -> list[Any]:
    """Routes, capacities, and where copies for the controller go."""
    routes = [
        +finsy.P4TableEntry(
            "ipv4_lpm",
            match=finsy.Match({"hdr.ipv4.destination": str(route.prefix)}),
            action=finsy.Action(
                "forward",
                port=route.port,
                source_mac=int(route.source_mac.replace(":", ""), 16),
                destination_mac=int(route.destination_mac.replace(":", ""), 16),
            ),
        )
        for route in switch.routes
    ]
    capacities = [
        +finsy.P4TableEntry(
            "port_capacity",
            match=finsy.Match(data_port=port.port),
            action=finsy.Action("set_capacity", capacity_kbps=port.capacity_kbps, tolerance_kbps=port.tolerance_kbps),
        )
        for port in switch.ports
    ]
    return [*routes, *capacities, +finsy.P4CloneSessionEntry(CLONE_SESSION, replicas=[CPU_PORT])]


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The testbed asks now and then whether anybody is there."""
    while await reader.readline():
        writer.write(b'{"ok": true}\n')
        await writer.drain()
    writer.close()
