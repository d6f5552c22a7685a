"""Programs that negotiate for themselves (`python -m hosts send`) where the host's service has the message port: it passes messages on.

Both ends. A program opens the service's control socket, says ``relay ADDRESS``, and from then on each line is JSON:

    program → service   {"claim": [content_id, destination_id, subflow], "peer": IP} · {"release": …} · {"send": HEX, "peer": IP}
    service → program   {"message": HEX, "peer": IP} · {"error": TEXT}
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from common.errors import UserError
from hosts.message_socket import MessageSocket, MessageSockets
from hosts.service import asking
from protocol.any_message import AnyMessage, decode_any
from protocol.wire import UDP_PORT, MessageError, TransmissionId

RELAY = "relay"
_Claim = tuple[TransmissionId, str]


class RelayedMessageSocket(MessageSocket):
    """A program's end: used as the message socket that it could not open."""

    is_relayed = True

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        super().__init__()
        self._writer = writer
        self._reading: asyncio.Task[None] | None = None

    def follow(self, reader: asyncio.StreamReader) -> None:
        """Takes in the messages that the service passes on."""
        self._reading = asyncio.get_running_loop().create_task(self._read(reader))

    def claim(self, transmission: TransmissionId, peer: str, handler: Callable[[AnyMessage, str], None]) -> None:
        """As in MessageSocket."""
        super().claim(transmission, peer, handler)
        self._tell(claim=_numbers(transmission), peer=peer)

    def release(self, transmission: TransmissionId, peer: str) -> None:
        """As in MessageSocket."""
        super().release(transmission, peer)
        self._tell(release=_numbers(transmission), peer=peer)

    def send(self, message: AnyMessage, peer: str) -> None:
        """As in MessageSocket."""
        self._tell(send=message.encode().hex(), peer=peer)

    def close(self) -> None:
        """As in MessageSocket."""
        if self._reading is not None:
            self._reading.cancel()
        self._writer.close()

    def _tell(self, **fields: object) -> None:
        if not self._writer.is_closing():
            self._writer.write(json.dumps(fields).encode() + b"\n")

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            said = json.loads(line)
            if "message" in said:
                self.datagram_received(bytes.fromhex(said["message"]), (said["peer"], UDP_PORT))


async def open_relayed(address: str) -> MessageSocket | None:
    """A message socket at a local address by way of this host's service; None: it has none.

    Raises:
        UserError: the service has no message socket at that address.
    """
    try:
        reader, writer = await asyncio.open_unix_connection(asking.NAME)
    except ConnectionRefusedError:
        return None
    writer.write(f"{RELAY} {address}\n".encode())
    answer = json.loads(await reader.readline() or b"{}")
    if answer.get("relays") is None:
        writer.close()
        raise UserError(f"this host's service passes on no messages at {address}: {answer.get('error', 'it has ended')}")
    relayed = RelayedMessageSocket(writer)
    relayed.address = address
    relayed.follow(reader)
    return relayed


class Relay:
    """The service's end, for all programs."""

    def __init__(self, messages: MessageSockets) -> None:
        self._messages = messages

    async def serve(self, address: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Passes messages on for one program until it closes the connection; its claims are released then."""
        try:
            socket = await self._messages.at(address)
        except UserError as error:
            _say(writer, error=error.what)
            return
        _say(writer, relays=address)
        claims: set[_Claim] = set()

        def pass_on(message: AnyMessage, peer: str) -> None:
            _say(writer, message=message.encode().hex(), peer=peer)

        try:
            while line := await reader.readline():
                try:
                    self._obey(json.loads(line), socket, claims, pass_on)
                except (UserError, MessageError, ValueError, KeyError, TypeError) as error:
                    _say(writer, error=str(error))
        finally:
            for transmission, peer in claims:
                socket.release(transmission, peer)

    def _obey(self, said: dict[str, Any], socket: MessageSocket, claims: set[_Claim], pass_on: Callable[[AnyMessage, str], None]) -> None:
        peer = str(said["peer"])
        if "send" in said:
            socket.send(decode_any(bytes.fromhex(said["send"])), peer)
        elif "claim" in said:
            transmission = TransmissionId(*map(int, said["claim"]))
            socket.claim(transmission, peer, pass_on)
            claims.add((transmission, peer))
        else:
            transmission = TransmissionId(*map(int, said["release"]))
            if (transmission, peer) in claims:
                claims.remove((transmission, peer))
                socket.release(transmission, peer)


def _numbers(transmission: TransmissionId) -> list[int]:
    return [transmission.content_id, transmission.destination_id, transmission.subflow]


def _say(writer: asyncio.StreamWriter, **fields: object) -> None:
    if not writer.is_closing():
        writer.write(json.dumps(fields).encode() + b"\n")
