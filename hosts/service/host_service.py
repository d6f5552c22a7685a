"""The host service: one for a host. It owns the message sockets, answers requests, and negotiates for every connection that sends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from common.errors import UserError
from common.units import US_PER_S
from hosts import clock
from hosts.cca.subflow_rates import Ends
from hosts.message_socket import MessageSocket, MessageSockets
from hosts.receiver_negotiation import reply_to
from hosts.service.connection_watch import ConnectionEvent, EventKind
from hosts.service.options import FirstRtt, ServiceOptions
from hosts.service.served_connection import Rates, ServedConnection
from protocol.any_message import AnyMessage

LOOK_S = 0.25
"""How often it looks for connections that have become idle."""

SILENT_S = 60.0
"""A host that did not answer is not asked again for so long."""

INITIAL_WINDOW_PACKETS = 10
Log = Callable[..., None]
"""Called with an event's name and its fields (hosts/events.py)."""


class Watch(Protocol):
    """The watcher of the connections (connection_watch.py)."""

    def bytes_sent(self, cookie: int) -> int | None:
        """Payload that a connection has sent; None: it is over."""

    def rtt_us(self, cookie: int) -> int:
        """Smoothed RTT of a connection, 0 if it is over."""

    def is_quiet_now(self, cookie: int) -> None:
        """The connection has no rate any more."""

    def is_alone(self, cookie: int) -> None:
        """Nobody answers the connection."""


class HostService:
    """Serves from :meth:`open` until :meth:`close`.

    Args:
        options: for every connection.
        rates: where the congestion control reads them.
        log: told what happens: ``rate`` and ``over`` of connections, ``unanswered`` and ``another_way`` of hosts.
    """

    def __init__(self, options: ServiceOptions, rates: Rates, log: Log) -> None:
        self._options, self._rates, self._log = options, rates, log
        self.messages = MessageSockets(self._answer)
        """Its message sockets."""
        self._connections: dict[int, ServedConnection] = {}
        self._silent_until_s: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._watch: Watch | None = None

    @property
    def connections(self) -> list[ServedConnection]:
        """Those that have, or are to have, a rate now."""
        return list(self._connections.values())

    async def open(self, addresses: list[str]) -> None:
        """Opens a message socket at each of the local addresses.

        Raises:
            UserError: a port is taken, or one is no address of this host.
        """
        for address in addresses:
            await self.messages.at(address)

    def follow(self, watch: Watch) -> None:
        """Begins to look after the connections that ``watch`` sees; it has to hand its events to :meth:`on_event`."""
        self._watch = watch
        self._spawn(self._look_for_idle(watch))

    def on_event(self, event: ConnectionEvent) -> None:
        """A connection has begun to send, or is over."""
        if event.kind is EventKind.SENDS:
            self._spawn(self._begin(event))
        else:
            self._forget(event.cookie)

    async def close(self) -> None:
        """Terminates all records and closes the sockets."""
        for cookie in list(self._connections):
            self._forget(cookie)
        others = [task for task in self._tasks if task.get_name() != _ENDING]
        for task in others:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.messages.close()

    def _answer(self, message: AnyMessage, peer: str, messages: MessageSocket) -> None:
        reply = reply_to(message, self._options.provide_kbps)
        if reply is not None:
            messages.send(reply, peer)

    async def _begin(self, event: ConnectionEvent) -> None:
        watch = self._watch
        assert watch is not None
        peer = event.ends.remote_address
        if self._silent_until_s.get(peer, 0.0) > clock.now_s():
            watch.is_alone(event.cookie)
            return
        try:
            messages = await self.messages.at(event.ends.local_address)
        except UserError as error:
            self._log("error", message=str(error), **_ends(event.ends))
            watch.is_alone(event.cookie)
            return
        if event.cookie in self._connections or watch.bytes_sent(event.cookie) is None:
            return  # told twice, or over already
        present_rtt_us = partial(watch.rtt_us, event.cookie)
        connection = ServedConnection(event, self._options, messages, self._rates, present_rtt_us, self._on_alone, self._on_change)
        self._connections[event.cookie] = connection
        connection.start()

    def _forget(self, cookie: int) -> None:
        connection = self._connections.pop(cookie, None)
        if connection is not None:
            self._rates.drop(connection.seen.ends)
            self._spawn(connection.end(), _ENDING)
            self._log("over", messages=connection.messages, **_ends(connection.seen.ends))

    def _on_alone(self, connection: ServedConnection) -> None:
        assert self._watch is not None
        peer = connection.seen.ends.remote_address
        self._silent_until_s[peer] = clock.now_s() + SILENT_S
        self._connections.pop(connection.seen.cookie, None)
        self._rates.drop(connection.seen.ends)
        self._watch.is_alone(connection.seen.cookie)
        self._spawn(connection.end(), _ENDING)
        self._log("another_way" if connection.is_another_way else "unanswered", peer=peer, goes_on_with=self._options.alone)

    def _on_change(self, connection: ServedConnection) -> None:
        if connection.rate_bps is not None:
            self._log("rate", rate_bps=connection.rate_bps, **_ends(connection.seen.ends))

    async def _look_for_idle(self, watch: Watch) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            now_s = clock.now_s()
            for cookie, connection in list(self._connections.items()):
                sent = watch.bytes_sent(cookie)
                if sent is None:
                    self._forget(cookie)
                elif sent != connection.bytes_sent:
                    connection.bytes_sent, connection.active_s = sent, now_s
                elif connection.rate_bps and now_s - connection.active_s >= self._options.idle_s:
                    self._forget(cookie)
                    self._rates.put(connection.seen.ends, self._quiet_bytes_per_s(connection.seen))
                    watch.is_quiet_now(cookie)

    def _quiet_bytes_per_s(self, seen: ConnectionEvent) -> int:
        """Limit in bytes/s of a connection that has had a rate and has none now: as before its first one."""
        packets = 1 if self._options.first_rtt is FirstRtt.WAIT else INITIAL_WINDOW_PACKETS
        return max(1, packets * seen.snd_mss_bytes * US_PER_S // max(seen.rtt_us, 1))

    def _spawn(self, work: Any, name: str = "service") -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


_ENDING = "ending"


def _ends(ends: Ends) -> dict[str, str]:
    return {
        "local": f"{ends.local_address}:{ends.local_port}",
        "remote": f"{ends.remote_address}:{ends.remote_port}",
        "at_s": f"{clock.now_s():.6f}",
    }
