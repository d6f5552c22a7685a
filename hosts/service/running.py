"""A host service that runs: its parts put together, as a service of the whole host or for one command."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from common.errors import UserError
from hosts import clock
from hosts.cca import loader
from hosts.cca.scheme_names import parse_scheme, socket_name
from hosts.cca.subflow_rates import SubflowRates, namespace_cookie
from hosts.connection import sending_socket
from hosts.events import emit
from hosts.service.asking import JOIN, STATUS, Answer
from hosts.service.connection_watch import ConnectionWatch, WatchSettings
from hosts.service.control_group import ControlGroup, hierarchy
from hosts.service.control_socket import ControlSocket
from hosts.service.host_service import HostService, Log
from hosts.service.options import FirstRtt, ServiceOptions
from hosts.service.relay import RELAY, Relay
from hosts.service.watch_object import watch_object

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DRAIN_S = 60.0
"""Data that programs have left behind may be sent for so long after they have ended."""

LOOK_S = 0.02
SIGNALLED = 128


@asynccontextmanager
async def running(options: ServiceOptions, log: Log, *, whole_host: bool) -> AsyncIterator[tuple[HostService, ControlGroup]]:
    """A service inside the block, and the control group of the programs that join it.

    Args:
        options: for every connection.
        log: told what happens.
        whole_host: it serves all programs' connections, not only those in the control group.

    Raises:
        UserError: something that it needs is missing; the message says what to do about it.
    """
    if os.geteuid() != 0:
        raise UserError("watching connections needs root", "run this as root, or join a service that runs: `nodectl serve`")
    with contextlib.ExitStack() as cleanup:
        scheme = parse_scheme(options.scheme)
        if not scheme.needs.negotiates:
            raise UserError(f"{scheme} keeps to no negotiated rate", "for example --scheme nodectl")
        group = ControlGroup(str(namespace_cookie()))
        added: list[str] = []
        cleanup.callback(_leave, group, added)
        if not loader.can_be_chosen(scheme):
            added += loader.register([options.scheme])
        for name in (options.scheme, options.alone):
            sending_socket(name).close()
        rates = SubflowRates()
        cleanup.callback(rates.close)
        service = HostService(options, rates, log)
        control = ControlSocket(
            {JOIN: lambda process: _join(group, process), STATUS: lambda _: _status(service)}, {RELAY: Relay(service.messages).serve}
        )
        await control.open()
        cleanup.callback(control.close)
        try:
            await service.open(list(options.addresses) or local_addresses())
            settings = WatchSettings(
                congestion_control=socket_name(scheme),
                alone=socket_name(parse_scheme(options.alone)),
                first_window_packets=1 if options.first_rtt is FirstRtt.WAIT else None,
            )
            watch = ConnectionWatch(watch_object(), hierarchy() if whole_host else group.folder, settings, service.on_event)
            cleanup.callback(watch.close)
            service.follow(watch)
            yield service, group
        finally:
            await service.close()


async def serve(options: ServiceOptions, log: Log, *, whole_host: bool) -> int:
    """Serves until SIGINT or SIGTERM; prints ``ready`` when it does. Returns the exit code."""
    stopped = asyncio.Event()
    for number in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with running(options, log, whole_host=whole_host):
        emit("ready")
        await stopped.wait()
    return 0


async def run_command(command: Sequence[str], options: ServiceOptions, log: Log) -> int:
    """Runs a command with a service of its own, until it and all that it has started have ended and their connections are over.

    Returns its exit code.

    Raises:
        UserError: the service cannot run here, or the command cannot be started.
    """
    async with running(options, log, whole_host=False) as (service, group):
        try:
            process = subprocess.Popen(command, preexec_fn=group.take_in)
        except OSError as error:
            raise UserError(f"{command[0]} cannot be started: {error.strerror}") from error
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, process.send_signal, number)
        status = await asyncio.to_thread(process.wait)
        for number in SIGNALS:
            loop.remove_signal_handler(number)
        while group.processes():
            await asyncio.sleep(LOOK_S)
        deadline_s = clock.now_s() + DRAIN_S
        while service.connections and clock.now_s() < deadline_s:
            await asyncio.sleep(LOOK_S)
    return status if status >= 0 else SIGNALLED - status


def local_addresses() -> list[str]:
    """This host's IPv4 addresses, those of the loopback interface left out.

    Raises:
        UserError: there is none.
    """
    try:
        output = subprocess.run(["ip", "-json", "-4", "address", "show", "up"], capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise UserError("this host's addresses cannot be listed (`ip address`)", "name them: --address") from error
    interfaces: list[dict[str, Any]] = json.loads(output or b"[]")
    found = [
        str(address["local"])
        for interface in interfaces
        if "LOOPBACK" not in interface["flags"]
        for address in interface["addr_info"]
        if address.get("scope") == "global"
    ]
    if not found:
        raise UserError("this host has no IPv4 address besides the loopback's", "`ip address` lists them")
    return found


def log_to(file: Path | None) -> Log:
    """Writes events to a file, a line of JSON each; nowhere if there is none.

    Raises:
        UserError: it cannot be written.
    """
    if file is None:
        return lambda _event, **_fields: None
    try:
        stream = file.open("a", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}") from error

    def write(event: str, **fields: object) -> None:
        stream.write(json.dumps({"event": event, **fields}) + "\n")
        stream.flush()

    return write


def _leave(group: ControlGroup, added: list[str]) -> None:
    """The congestion control that was not there before goes with the last service that needs it."""
    if group.remove() and added:
        loader.unregister(added)


def _join(group: ControlGroup, process: int) -> Answer:
    group.take_in(process)
    return {"joined": process}


def _status(service: HostService) -> Answer:
    return {
        "connections": [
            {
                "local": f"{one.seen.ends.local_address}:{one.seen.ends.local_port}",
                "remote": f"{one.seen.ends.remote_address}:{one.seen.ends.remote_port}",
                "rate_bps": one.rate_bps,
                "rtt_us": one.rtt_us,
                "bytes_sent": one.bytes_sent,
            }
            for one in service.connections
        ]
    }
