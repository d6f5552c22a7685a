"""The life with one switch: connect, configure, take its events, send what the core decides; again if it went away."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from finsy import P4Schema
from finsy.proto import p4r

from common.errors import UserError
from common.units import BITS_PER_KILOBIT
from controller import timing
from controller.clock import Clock, next_round
from controller.computing_cost import Processor
from controller.connection import Connection, NotPrimaryError, UnreachableError
from controller.latency import LatencyLog
from controller.packets import PacketCodec
from controller.switch_state import SwitchState
from protocol.codes import EventType
from protocol.events import EventError
from scenario.network_description import SwitchDescription

LOGGER = logging.getLogger("controller")

FIRST_PAUSE_S = 0.1
LAST_PAUSE_S = 2.0
"""Pauses between attempts to connect: doubled from the first to the last."""

ADJUSTING_EVENTS = frozenset({EventType.ADMITTED, EventType.REMOVED})
"""Events whose way through the controller is measured if they cause packet-outs."""


class SwitchSession:
    """Keeps one switch connected and works off its events."""

    def __init__(
        self,
        switch: SwitchDescription,
        schema: P4Schema,
        state: SwitchState,
        clock: Clock,
        *,
        processor: Processor,
        channel_s: float = 0.0,
        connect_timeout_s: float,
        election_id: int,
        announce: Callable[[dict[str, Any]], None] = lambda _event: None,
        after_tick: Callable[[], None] = lambda: None,
    ) -> None:
        """``processor``: computes events and entries; all sessions of a controller share it.

        ``channel_s``: delay that is added to everything on its way to the switch, and on its way back, in seconds.

        ``connect_timeout_s``: how long the first connection may take. Later ones are tried for ever.

        ``announce``: is given the messages to other programs, as JSON-able dictionaries.

        ``after_tick``: is called after each round of housekeeping.
        """
        self.switch = switch
        self.state = state
        self.latency = LatencyLog()
        self.events = 0
        """How many packet-ins were taken in."""
        self.entries = 0
        """How many entries of packet-outs were sent."""
        self.is_connected = False
        self.configured = asyncio.Event()
        """Set once the switch has been configured for the first time."""
        self._schema = schema
        self._clock = clock
        self._processor = processor
        self._channel_s = channel_s
        self._connect_timeout_s = connect_timeout_s
        self._election_id = election_id
        self._announce = announce
        self._after_tick = after_tick
        self._connection: Connection | None = None
        self._tables = asyncio.Lock()
        self._codec = PacketCodec(schema)
        self._send_now = asyncio.Event()
        self._cause_at_s: float | None = None

    async def run(self) -> None:
        """Serve the switch until cancelled.

        Raises:
            UserError: at the start, the switch cannot be reached in time or refuses what it is given; or, at any time,
                another controller is in charge.
        """
        started_s = self._clock.now_s()
        pause_s = FIRST_PAUSE_S
        complained = ""
        while True:
            connection = Connection(self.switch, self._schema, self._election_id, self._clock, self._channel_s)
            try:
                await self._connect(connection)
                pause_s, complained = FIRST_PAUSE_S, ""
                await self._serve(connection)
            except UnreachableError as error:
                self._give_up_if_late(error, started_s)
                if self.is_connected:
                    LOGGER.warning("%s lost (%s); connecting again", self.switch.name, error)
                elif str(error) != complained:
                    LOGGER.info("waiting for %s", error)
                complained = str(error)
            except NotPrimaryError:
                raise
            except UserError as error:
                if not self.configured.is_set():
                    raise
                if str(error) != complained:
                    LOGGER.error("%s; trying again", error)
                complained = str(error)
            finally:
                self.is_connected = False
                self._connection = None
                await connection.close()
            await self._clock.sleep(pause_s)
            pause_s = min(2 * pause_s, LAST_PAUSE_S)

    async def set_capacity(self, port: int, capacity_bps: int) -> tuple[int, int]:
        """Tell the switch that the link behind a port has another rate, and put its records right (decision "a link's new rate").

        Where the switch is not connected at the moment, it is told once it is.

        Args:
            port: number of a port with rate control.
            capacity_bps: the new capacity B_z in bit/s; counted in whole kbit/s, rounded down.

        Returns:
            How many records are reduced, and how many are offered more.

        Raises:
            UserError: there is no such port, the rate is impossible, or the switch refuses it.
        """
        async with self._tables:
            changed = self.switch.with_capacity(port, capacity_bps)
            if self._connection is not None:
                try:
                    await self._connection.write_entries(changed)
                except UnreachableError as error:
                    LOGGER.info("%s will be told of its new capacity when it is back", error)
            self.switch = changed
            if port not in self.state.ports:  # the program keeps no records of it
                return 0, 0
            async with self._processor.turn(events=1):
                changes = self.state.set_capacity(port, capacity_bps // BITS_PER_KILOBIT, self._clock.now_s())
        self._send_now.set()
        return changes

    def _give_up_if_late(self, error: UnreachableError, started_s: float) -> None:
        waited_s = self._clock.now_s() - started_s
        if not self.configured.is_set() and waited_s >= self._connect_timeout_s:
            raise UserError(f"{error} (waited {self._connect_timeout_s:g} s); is the switch running?")

    async def _connect(self, connection: Connection) -> None:
        await connection.open()
        async with self._tables:
            was_loaded, changes = await connection.configure(self.switch)
            self._connection = connection
        self.state.connected(self._clock.now_s(), is_empty=was_loaded)
        self.is_connected = True
        self.configured.set()
        LOGGER.info(
            "%s connected: pipeline %s, %s",
            self.switch.name,
            "loaded" if was_loaded else "kept",
            f"{changes} table {'entry' if changes == 1 else 'entries'} written" if changes else "table entries as they should be",
        )

    async def _serve(self, connection: Connection) -> None:
        """Until the connection ends: three tasks on one event loop share the core, none awaits in the middle of its use."""
        self._send_now.set()
        tasks = [
            asyncio.create_task(part, name=f"{self.switch.name} {name}")
            for name, part in (
                ("receive", self._receive(connection)),
                ("send", self._send(connection)),
                ("tick", self._tick()),
            )
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _receive(self, connection: Connection) -> None:
        while True:
            message = await connection.receive()
            match message.WhichOneof("update"):
                case "packet":
                    arrived_s = self._clock.now_s()
                    self.events += 1
                    async with self._processor.turn(events=1):
                        self._take_in(message.packet, arrived_s)
                        if self._processor.takes_time:  # an event's entries are computed with it, before the next one's turn
                            await self._flush(connection)
                case "arbitration":
                    connection.check_arbitration(message.arbitration)
                case "error":
                    LOGGER.warning("%s: the switch could not use a packet-out: %s", self.switch.name, message.error.message)

    def _take_in(self, packet: p4r.PacketIn, arrived_s: float) -> None:
        now_s = self._clock.now_s()
        try:
            event, message = self._codec.event(packet)
        except EventError as error:
            LOGGER.warning("%s: %s", self.switch.name, error)
            return
        self.state.handle(event, message, now_s)
        if self.state.outbox:
            if self._cause_at_s is None and event.event in ADJUSTING_EVENTS:
                self._cause_at_s = arrived_s
            self._send_now.set()
        else:
            self._tell()

    async def _send(self, connection: Connection) -> None:
        while True:
            await self._send_now.wait()
            self._send_now.clear()
            async with self._processor.turn():
                await self._flush(connection)

    async def _flush(self, connection: Connection) -> None:
        """Send the waiting entries."""
        while self.state.outbox:
            cause_at_s, self._cause_at_s = self._cause_at_s, None
            batches = self.state.take_batches(self._clock.now_s())
            if self._processor.takes_time:
                await self._processor.compute_entries(sum(batch.count for batch in batches))
            self.entries += sum(batch.count for batch in batches)
            for batch in batches:
                await connection.send(self._codec.packet_out(batch))
            if cause_at_s is not None:
                self.latency.add(self._clock.now_s() - cause_at_s)
        self._tell()

    async def _tick(self) -> None:
        while True:
            await next_round(self._clock, timing.TICK_S)
            async with self._processor.turn():
                self.state.tick(self._clock.now_s())
            if self.state.outbox:
                self._send_now.set()
            else:
                self._tell()
                self._after_tick()

    def _tell(self) -> None:
        """Log what the core has to say; done after sending, so that no sender waits for it."""
        for level, text in self.state.take_journal():
            LOGGER.log(level, "%s", text)
        for event in self.state.take_announcements():
            self._announce(event)
