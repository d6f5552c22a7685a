"""The host's one UDP socket for negotiation messages (port 4747), shared by all its transmissions."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from typing import cast

from common.errors import UserError
from protocol.any_message import AnyMessage, decode_any
from protocol.telemetry import TelemetryType
from protocol.wire import UDP_PORT, MessageError, MessageType, TransmissionId

TO_RECEIVER = frozenset({MessageType.REQUEST, MessageType.TERMINATE, TelemetryType.QUESTION})
"""These go from a sender to a receiver; all others go to a sender."""

Handler = Callable[[AnyMessage, str], None]
"""Called with a well-formed message and the IPv4 address it came from."""


class MessageSocket(asyncio.DatagramProtocol):
    """Sends and receives messages of both roles of a host, and tells them apart by their type.

    A datagram that is malformed or did not come from port 4747 is counted and dropped.

    Args:
        receiver: gets the messages of senders, with this socket to answer by; None: this host does not receive.
    """

    is_relayed = False
    """The host's service has the port, and answers requests (hosts/service/relay.py)."""

    def __init__(self, receiver: Receiving | None = None) -> None:
        self._receiver = receiver
        self.malformed = 0
        self.unclaimed = 0
        self.token = 0
        """The token that the first switch has given this address in the deployable variant (decision "tokens"); 0: none yet."""
        self._handlers: dict[tuple[TransmissionId, str], Handler] = {}
        self._transport: asyncio.DatagramTransport | None = None
        self.address = ""
        """Local address, 0.0.0.0 for all."""

    @classmethod
    async def open(cls, address: str, receiver: Receiving | None = None) -> MessageSocket:
        """Opens the socket on the local IPv4 ``address`` (0.0.0.0: all), for ``receiver`` as well if there is one.

        Where the host's service has the port, messages go by way of the service, which answers requests itself.

        Raises:
            UserError: the port is taken, or the address is not this host's.
        """
        loop = asyncio.get_running_loop()
        try:
            _, protocol = await loop.create_datagram_endpoint(lambda: cls(receiver), local_addr=(address, UDP_PORT), family=socket.AF_INET)
        except OSError as error:
            relayed = await _by_the_service(address) if error.errno == errno.EADDRINUSE else None
            if relayed is None:
                raise explain_bind_error(error, "UDP", address, UDP_PORT) from error
            return relayed
        protocol.address = address
        return protocol

    def claim(self, transmission: TransmissionId, peer: str, handler: Handler) -> None:
        """Delivers messages to the sender of ``transmission`` that come from ``peer`` to ``handler``.

        Raises:
            UserError: another transmission to ``peer`` has the same name.
        """
        if (transmission, peer) in self._handlers:
            raise UserError(f"another transmission to {peer} has the content_id {transmission.content_id:016x}", "give each one of its own")
        self._handlers[transmission, peer] = handler

    def release(self, transmission: TransmissionId, peer: str) -> None:
        """Undoes :meth:`claim`; later messages count as unclaimed."""
        self._handlers.pop((transmission, peer), None)

    def send(self, message: AnyMessage, peer: str) -> None:
        """Sends ``message`` to port 4747 of ``peer``. Losses are the negotiation's business; nothing is raised for them."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.sendto(message.encode(), (peer, UDP_PORT))

    def close(self) -> None:
        """Closes the socket."""
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio: the socket is open."""
        self._transport = cast(asyncio.DatagramTransport, transport)  # asyncio's own class does not derive from it

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """asyncio: a datagram came in."""
        peer, port = addr
        if port != UDP_PORT:
            self.malformed += 1
            return
        try:
            message = decode_any(data)
        except MessageError:
            self.malformed += 1
            return
        if message.type in TO_RECEIVER:
            if self._receiver is not None:
                self._receiver(message, peer, self)
        elif (handler := self._handlers.get((message.id, peer))) is not None:
            handler(message, peer)
        else:
            self.unclaimed += 1

    def error_received(self, exc: Exception) -> None:
        """asyncio: ICMP said that a message did not arrive. Silence will show it."""


class MessageSockets:
    """The message sockets of a host with several addresses: one for each, so that messages go the way of the subflow they are about.

    Args:
        receiver: as for :class:`MessageSocket`.
    """

    def __init__(self, receiver: Receiving | None = None) -> None:
        self._receiver = receiver
        self._sockets: dict[str, MessageSocket] = {}

    async def at(self, address: str) -> MessageSocket:
        """The socket on this local address, opened if need be.

        Raises:
            UserError: the port is taken there, or the address is not this host's.
        """
        if address not in self._sockets:
            self._sockets[address] = await MessageSocket.open(address, self._receiver)
        return self._sockets[address]

    def close(self) -> None:
        """Closes all of them."""
        for opened in self._sockets.values():
            opened.close()


Receiving = Callable[[AnyMessage, str, MessageSocket], None]
"""Called with a sender's message, the IPv4 address it came from, and the socket to answer by."""


def explain_bind_error(error: OSError, protocol: str, address: str, port: int) -> UserError:
    """A clear message for a port that cannot be opened."""
    place = f"{protocol} port {port} on {address}"
    if error.errno == errno.EADDRINUSE:
        return UserError(
            f"{place} is taken",
            f"end the other program first; `ss -anp 'sport = :{port}'` shows which it is",
        )
    if error.errno == errno.EADDRNOTAVAIL:
        return UserError(f"{place} cannot be opened: {address} is no address of this host", "`ip address` lists them")
    return UserError(f"{place} cannot be opened: {error.strerror}")


async def _by_the_service(address: str) -> MessageSocket | None:
    from hosts.service.relay import open_relayed  # which builds on this module

    return await open_relayed(address)
