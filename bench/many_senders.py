"""Thousands of senders and their receiver as seen by a switch: raw sockets on two interfaces, frame by frame, without a kernel's TCP.

Messages carry no UDP checksum (0), which a switch accepts, so that as little as possible is computed beside the measurement.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable

from hosts.receiver_negotiation import answer
from protocol.frames import ETHERNET_HEADER_BYTES, ETHERTYPE_IPV4, IPV4_HEADER_BYTES, PROTOCOL_UDP
from protocol.wire import FRAME_BYTES, MESSAGE_BYTES, UDP_PORT, Message, MessageType
from protocol.wire_v2 import decode

ETH_P_ALL = 3
SO_RCVBUFFORCE = 33
RECEIVE_BUFFER_BYTES = 64_000_000
"""Ten thousand messages come at once."""
MACS = bytes.fromhex("0200000000fe") + bytes.fromhex("020000000001")
RECEIVER_IP = 0x0A010001
BURST = 64
PAUSE_S = 0.008
"""After a burst: a switch and a controller on a busy machine shall keep up."""

_ETHERNET = MACS + struct.pack("!H", ETHERTYPE_IPV4)
_IPV4 = struct.Struct("!BBHHHBBHII")
_UDP = struct.Struct("!HHHH")
_TYPE = struct.Struct("!H")
_ADDRESSES = struct.Struct("!II")
_ADDRESSES_AT = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES - _ADDRESSES.size
_PAYLOAD_AT = FRAME_BYTES - MESSAGE_BYTES


def sender_ip(number: int) -> int:
    """Address of a sender: 10.0.0.0 and its number."""
    return 0x0A000000 + number


def frame(source_ip: int, destination_ip: int, message: Message) -> bytes:
    """The message as its host sends it."""
    payload = message.encode()
    length = IPV4_HEADER_BYTES + _UDP.size + len(payload)
    header = _IPV4.pack(0x45, 0, length, 0, 0x4000, 64, PROTOCOL_UDP, 0, source_ip, destination_ip)
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    checksum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    header = header[:10] + struct.pack("!H", checksum) + header[12:]
    return _ETHERNET + header + _UDP.pack(UDP_PORT, UDP_PORT, length - IPV4_HEADER_BYTES, 0) + payload


class Interface:
    """A raw socket on an interface; incoming frames go to ``take`` in a thread of its own, with the time (CLOCK_MONOTONIC, s)."""

    def __init__(self, name: str, take: Callable[[bytes, float], None]) -> None:
        self._take = take
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self._socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES)
        self._socket.bind((name, ETH_P_ALL))
        self._socket.settimeout(0.1)
        self._is_closing = False
        self._thread = threading.Thread(target=self._receive, daemon=True)
        self._thread.start()

    def send(self, data: bytes) -> None:
        """Sends a frame."""
        self._socket.send(data)

    def send_all(self, frames: Iterable[bytes]) -> None:
        """Sends frames in small bursts."""
        for number, data in enumerate(frames, 1):
            self.send(data)
            if number % BURST == 0:
                time.sleep(PAUSE_S)

    def close(self) -> None:
        """Ends the thread."""
        self._is_closing = True
        self._thread.join()
        self._socket.close()

    def _receive(self) -> None:
        while not self._is_closing:
            try:
                data, address = self._socket.recvfrom(2048)
            except TimeoutError:
                continue
            if address[2] != socket.PACKET_OUTGOING and len(data) >= FRAME_BYTES:
                self._take(data, time.monotonic())


class ManySenders:
    """The hosts on both sides of a switch. The receiver grants every request; the senders keep their messages, to look at later."""

    def __init__(self, senders_on: str, receiver_on: str) -> None:
        self.told: list[bytes] = []
        """Messages to the senders, with their addresses in front, since :meth:`forget`."""
        self.latest_s = 0.0
        """When the latest one came."""
        self._senders = Interface(senders_on, self._tell)
        self._receiver = Interface(receiver_on, self._answer)

    def send(self, number: int, message: Message) -> None:
        """A message of a sender."""
        self._senders.send(frame(sender_ip(number), RECEIVER_IP, message))

    def send_all(self, messages: Iterable[tuple[int, Message]]) -> None:
        """Messages of many, each with its sender's number."""
        self._senders.send_all(frame(sender_ip(number), RECEIVER_IP, message) for number, message in messages)

    def count(self, kind: MessageType) -> int:
        """How many messages of a type the senders have got."""
        start = _TYPE.pack(kind)
        return sum(1 for one in self.told if one.startswith(start))

    def messages(self, kind: MessageType) -> list[Message]:
        """Those messages."""
        start = _TYPE.pack(kind)
        return [decode(one) for one in list(self.told) if one.startswith(start)]

    def forget(self) -> None:
        """Begin to count anew."""
        self.told.clear()

    def close(self) -> None:
        """Ends the hosts."""
        self._senders.close()
        self._receiver.close()

    def _tell(self, data: bytes, now_s: float) -> None:
        self.latest_s = now_s
        self.told.append(data[_PAYLOAD_AT:])

    def _answer(self, data: bytes, _now_s: float) -> None:
        if data[_PAYLOAD_AT:].startswith(_TYPE.pack(MessageType.REQUEST)):
            reply = answer(decode(data[_PAYLOAD_AT:]))
            assert reply is not None
            source, destination = _ADDRESSES.unpack_from(data, _ADDRESSES_AT)
            self._receiver.send(frame(destination, source, reply))
