"""One controller for one network: a session a switch, the status socket, and a clean end on a signal."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from finsy import P4Schema

from common.command_end import write_for_nobody
from controller import timing
from controller.clock import Clock, MonotonicClock, next_round
from controller.computing_cost import ComputingCost, Processor
from controller.garbage_collection import GarbageCollection
from controller.names import NameBook
from controller.pipeline import check_fits, load_pipeline, record_slots, sends_events
from controller.session import SwitchSession
from controller.status_server import StatusServer
from controller.switch_state import SwitchState
from controller.take_back import TakeBack
from protocol.variant import COMPLETE, Variant
from scenario.network_description import SwitchDescription, load_network

LOGGER = logging.getLogger("controller")


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    network: Path
    p4info: Path
    pipeline: Path
    variant: Variant = COMPLETE
    status_socket: Path | None = None
    connect_timeout_s: float = 10.0
    election_id: int = 1
    cost: ComputingCost = ComputingCost()
    """Times that computing and the channel take in addition to their real ones."""
    only_configures: bool = False
    """Leave as soon as all switches have their pipelines: another controller takes over."""


async def run(options: Options, clock: Clock | None = None) -> None:
    """Control the network until SIGINT or SIGTERM.

    Raises:
        UserError: wrong input, a switch that cannot be reached or refuses, another controller in charge.
    """
    clock = clock or MonotonicClock()
    network = load_network(options.network)
    names = NameBook(network.hosts, network.labels)
    processor = Processor(options.cost, clock)
    schemas = [_schema_of(switch, options) for switch in network.switches]
    garbage = GarbageCollection()
    sessions = [
        SwitchSession(
            switch,
            schema,
            _state_of(switch, schema, names, options.variant),
            clock,
            processor=processor,
            channel_s=options.cost.channel_s,
            connect_timeout_s=options.connect_timeout_s,
            election_id=options.election_id,
            announce=_print_event,
            after_tick=garbage.tick,
        )
        for switch, schema in zip(network.switches, schemas, strict=True)
    ]
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    status = StatusServer(sessions, names, clock)
    if options.status_socket is not None:
        await status.start(options.status_socket)
    try:
        if options.only_configures:
            await _configure(sessions)
            return
        takes_back = any(session.state.takes_back for session in sessions)
        await _serve(sessions, stopping, garbage, _take_back(sessions, clock) if takes_back else None)
    finally:
        await status.stop()
    LOGGER.info("stopped; the switches keep their entries and records")


def _schema_of(switch: SwitchDescription, options: Options) -> P4Schema:
    own = switch.pipeline
    p4info, program = (options.p4info, options.pipeline) if own is None else (own.p4info, own.program)
    schema = load_pipeline(p4info, program, writes_routes=switch.writes_routes)
    check_fits(schema, switch, str(program))
    return schema


def _state_of(switch: SwitchDescription, schema: P4Schema, names: NameBook, variant: Variant) -> SwitchState:
    ports = switch.ports if sends_events(schema) else ()
    return SwitchState(switch.name, ports, names, variant=variant, slots=record_slots(schema))


async def _configure(sessions: list[SwitchSession]) -> None:
    """Run until all switches have their pipelines and entries. Each stays as it is when its controller leaves."""
    serving = [asyncio.create_task(session.run(), name=session.switch.name) for session in sessions]
    configured = asyncio.gather(*(session.configured.wait() for session in sessions))
    try:
        ends: list[asyncio.Future[Any]] = [configured, *serving]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for task in serving:
            if task.done():
                task.result()
    finally:
        configured.cancel()
        for task in serving:
            task.cancel()
        await asyncio.gather(configured, *serving, return_exceptions=True)


async def _serve(
    sessions: list[SwitchSession], stopping: asyncio.Event, garbage: GarbageCollection, beside: Coroutine[None, None, None] | None
) -> None:
    """Run until told to stop, or until a session cannot go on: then its error is raised. ``beside``: a further task until then."""
    stop = asyncio.create_task(stopping.wait())
    ready = asyncio.create_task(_announce(sessions, garbage))
    serving = [asyncio.create_task(session.run(), name=session.switch.name) for session in sessions]
    if beside is not None:
        serving.append(asyncio.create_task(beside))
    try:
        done, _ = await asyncio.wait([stop, *serving], return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        tasks = [stop, ready, *serving]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _take_back(sessions: list[SwitchSession], clock: Clock) -> None:
    @cache
    def first_switch(address: int) -> SwitchState | None:
        return next((session.state for session in sessions if session.switch.is_first_for(IPv4Address(address))), None)

    take_back = TakeBack([session.state for session in sessions], first_switch)
    while True:
        await next_round(clock, timing.TICK_S)
        if all(session.is_connected for session in sessions):
            take_back.tick(clock.now_s())


async def _announce(sessions: list[SwitchSession], garbage: GarbageCollection) -> None:
    for session in sessions:
        await session.configured.wait()
    garbage.begin()
    _print_event({"event": "ready"})


def _print_event(event: dict[str, Any]) -> None:
    try:
        print(json.dumps(event), flush=True)
    except BrokenPipeError:
        write_for_nobody()
