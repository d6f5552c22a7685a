"""IPv4 packets under any address, by a raw socket, and the messages that come to this host."""

from __future__ import annotations

import ipaddress
import socket
import struct
from collections.abc import Iterator

from common.errors import UserError
from protocol.frames import IPV4_HEADER_BYTES, PROTOCOL_TCP, PROTOCOL_UDP, UDP_HEADER_BYTES
from protocol.wire import UDP_PORT, Message, MessageError
from protocol.wire_v2 import decode

TTL = 64
WINDOW = 65_535
RECEIVED_BYTES = 2048
SEGMENT_FIELDS = "!HHIIBBHHH"
SEGMENT_WORDS = 5


class Packets:
    """Sends what it is told, and hears what comes by UDP.

    Raises:
        UserError: no raw sockets may be opened.
    """

    def __init__(self) -> None:
        try:
            self._out = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
            self._in = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
        except PermissionError as error:
            raise UserError("raw sockets take root", "run it on a host of the testbed") from error
        self._in.setblocking(False)

    def send(self, source: str, destination: str, protocol: int, content: bytes, dscp: int = 0) -> None:
        """One packet; the kernel fills in length and header checksum. A full queue of this host's own loses it."""
        header = struct.pack(
            "!BBHHHBBH4s4s", 0x45, dscp << 2, 0, 0, 0, TTL, protocol, 0, _packed(source), _packed(destination)
        )  # fmt: skip
        try:
            self._out.sendto(header + content, (destination, 0))
        except (BlockingIOError, OSError):
            return

    def send_datagram(self, source: str, destination: str, content: bytes, port: int = UDP_PORT) -> None:
        """UDP from and to ``port``, without checksum (RFC 768 allows it)."""
        header = struct.pack("!HHHH", port, port, UDP_HEADER_BYTES + len(content), 0)
        self.send(source, destination, PROTOCOL_UDP, header + content)

    def send_message(self, source: str, destination: str, message: Message) -> None:
        """A message of either version."""
        self.send_datagram(source, destination, message.encode())

    def send_segment(self, source: str, destination: str, ports: tuple[int, int], flags: int, size_bytes: int, number: int = 0) -> None:
        """A segment of TCP with zeros in it. Its checksum is wrong: all switches carry it, and the host that it comes to drops it."""
        header = struct.pack(SEGMENT_FIELDS, *ports, number & 0xFFFFFFFF, 0, SEGMENT_WORDS << 4, flags, WINDOW, 0, 0)
        self.send(source, destination, PROTOCOL_TCP, header + bytes(size_bytes))

    def messages(self) -> Iterator[tuple[str, Message]]:
        """Those that have come to this host since the last look, with the address that each one says it is from."""
        while True:
            try:
                packet = self._in.recv(RECEIVED_BYTES)
            except BlockingIOError:
                return
            udp = packet[(packet[0] & 0xF) * 4 :]
            if len(udp) < UDP_HEADER_BYTES or struct.unpack("!H", udp[2:4])[0] != UDP_PORT:
                continue
            try:
                yield socket.inet_ntoa(packet[IPV4_HEADER_BYTES - 8 : IPV4_HEADER_BYTES - 4]), decode(udp[UDP_HEADER_BYTES:])
            except MessageError:
                continue


def _packed(address: str) -> bytes:
    return ipaddress.IPv4Address(address).packed
