"""Attacks that a host repeats again and again: a class for each kind. ``docs/protocol/attacks.md`` has their results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address
from itertools import count
from typing import ClassVar

from common.units import BITS_PER_BYTE, BITS_PER_KILOBIT
from protocol.deployable_headers import MessageExtension
from protocol.frames import TCP_SYN
from protocol.wire import MAX_RTT_US, Adjustment, Message, MessageType, Negotiation, TransmissionId
from protocol.wire_v2 import ExtendedAdjustment, ExtendedNegotiation, extension_of

from .negotiating import ASKED_KBPS, DATA_PORTS, Negotiating
from .packets import Packets

RTT_US = 40_000
BLAST_KBPS = 60_000
PACKET_BYTES = 1400
FRAME_OVERHEAD_BYTES = 34
DATA_UDP_PORT = 9
TCP_ACK = 0x10
MESSAGES_EACH_STEP = 2
LOW_KBPS = 1_000
RENEWED_S = 0.2
"""How often a false RTT is told."""


@dataclass(frozen=True)
class Place:
    """Where the attacker is.

    Args:
        packets: its host's raw sockets.
        address: its host's.
        beyond: a host behind the port that is attacked.
        victim: the host that sends over that port.
        receiver: the host that the victim sends to.
    """

    packets: Packets
    address: str
    beyond: str
    victim: str
    receiver: str


Heard = Iterable[tuple[str, Message]]


class Attack(ABC):
    """One kind; ``step`` is called every few milliseconds."""

    name: ClassVar[str]

    def __init__(self, place: Place) -> None:
        self.place = place
        self.packets = place.packets

    @abstractmethod
    def step(self, now_s: float, heard: Heard) -> None:
        """Send the packets that are due.

        Args:
            now_s: seconds since it began.
            heard: messages that have come since the last step, each after the address that it came from.
        """


class Idle(Attack):
    """None at all."""

    name = "none"

    def step(self, now_s: float, heard: Heard) -> None:
        """Nothing."""


class Honest(Attack):
    """None either: a host that asks for all it can get, as anybody may, and sends nothing."""

    name = "honest"

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._transmission = Negotiating(place.packets, place.address, place.beyond, RTT_US)

    def step(self, now_s: float, heard: Heard) -> None:
        """As any sender."""
        self._transmission.step(now_s, heard)


class LongRtt(Attack):
    """The longest RTT that a message can say, by one transmission after the other, so that many are expected within it."""

    name = "long-rtt"

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._began_s = 0.0
        self._transmission = self._new()

    def _new(self) -> Negotiating:
        return Negotiating(self.packets, self.place.address, self.place.beyond, MAX_RTT_US)

    def step(self, now_s: float, heard: Heard) -> None:
        """Anew five times a second."""
        if now_s >= self._began_s + RENEWED_S:
            self._transmission.end()
            self._began_s, self._transmission = now_s, self._new()
        self._transmission.step(now_s, heard)


class ManyRecords(Attack):
    """One transmission more with each step, from its own address."""

    name = "many-records"

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._token = 0

    def step(self, now_s: float, heard: Heard) -> None:
        """Two requests, with the token that it was told."""
        for _, message in heard:
            extension = extension_of(message)
            if message.type is MessageType.CHALLENGE and extension is not None:
                self._token = extension.token
        for _ in range(MESSAGES_EACH_STEP):
            for message in requests(TransmissionId.new(), self._token):
                self.packets.send_message(self.place.address, self.place.beyond, message)


class Spoofed(Attack):
    """Requests from addresses that are not its own."""

    name = "spoofed"

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._numbers = count(1)

    def step(self, now_s: float, heard: Heard) -> None:
        """Two requests, each from another address."""
        for _ in range(MESSAGES_EACH_STEP):
            source = str(IPv4Address(self.place.address) + 1 + next(self._numbers) % 99)
            for message in requests(TransmissionId.new(), 0):
                self.packets.send_message(source, self.place.beyond, message)


class Forged(Attack):
    """Reduces and terminates in others' names, from the receiver's host, which hears the victim's id."""

    name = "forged"

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._ids: set[TransmissionId] = set()

    def step(self, now_s: float, heard: Heard) -> None:
        """Sends all of them, to the victim and to its receiver."""
        self._ids |= {message.id for _, message in heard if message.type is MessageType.REQUEST}
        for one in self._ids:
            for kind, source, destination in (
                (MessageType.REDUCE, self.place.receiver, self.place.victim),
                (MessageType.REDUCE, self.place.address, self.place.victim),
                (MessageType.TERMINATE, self.place.victim, self.place.receiver),
                (MessageType.TERMINATE, self.place.receiver, self.place.victim),
            ):
                for message in adjustments(kind, one):
                    self.packets.send_message(source, destination, message)


class Flood(Attack):
    """Large packets, more than the port carries."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._sent = 0

    def due(self, now_s: float) -> int:
        """Packets that are to be sent now for BLAST_KBPS from the beginning on."""
        before = self._sent
        self._sent = int(now_s * BLAST_KBPS * BITS_PER_KILOBIT / ((PACKET_BYTES + FRAME_OVERHEAD_BYTES) * BITS_PER_BYTE))
        return self._sent - before


class Messages(Flood):
    """Datagrams that look like messages, without end."""

    name = "messages"

    def step(self, now_s: float, heard: Heard) -> None:
        """As much as keeps the port busy nearly twice."""
        for _ in range(self.due(now_s)):
            self.packets.send_datagram(self.place.address, self.place.beyond, bytes(PACKET_BYTES))


class Data(Flood):
    """UDP that nobody has negotiated, without end."""

    name = "data"

    def step(self, now_s: float, heard: Heard) -> None:
        """As much as keeps the port busy nearly twice."""
        for _ in range(self.due(now_s)):
            self.packets.send_datagram(self.place.address, self.place.beyond, bytes(PACKET_BYTES), DATA_UDP_PORT)


class Syns(Flood):
    """Data in segments that look as if they opened connections, without end."""

    name = "syns"

    def step(self, now_s: float, heard: Heard) -> None:
        """As much as keeps the port busy nearly twice."""
        for number in range(self.due(now_s)):
            ports = (1024 + number % 60_000, 5001)
            self.packets.send_segment(self.place.address, self.place.beyond, ports, TCP_SYN, PACKET_BYTES)


class Ignoring(Flood):
    """A transmission that heeds no reduce: it goes on at the rate that it had when it was alone."""

    name = "ignoring"

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._transmission = Negotiating(place.packets, place.address, place.beyond, RTT_US, is_obedient=False)

    def step(self, now_s: float, heard: Heard) -> None:
        """All that the port carries, and more, once it has a rate."""
        self._transmission.step(now_s, heard)
        due = self.due(now_s)
        if self._transmission.rate_kbps:
            for _ in range(due):
                self.packets.send_segment(self.place.address, self.place.beyond, DATA_PORTS, TCP_ACK, PACKET_BYTES)


KINDS = {kind.name: kind for kind in (Idle, Honest, LongRtt, ManyRecords, Spoofed, Forged, Messages, Data, Syns, Ignoring)}


def requests(who: TransmissionId, token: int) -> list[Message]:
    """A first request for all that a host can send, in both versions."""
    extension = MessageExtension(
        sequence=1, granted_kbps=ASKED_KBPS, source_port=DATA_PORTS[0], destination_port=DATA_PORTS[1], token=token
    )
    return [
        Negotiation(MessageType.REQUEST, who, ASKED_KBPS, 0, RTT_US),
        ExtendedNegotiation(MessageType.REQUEST, who, ASKED_KBPS, 0, RTT_US, extension=extension),
    ]


def adjustments(kind: MessageType, who: TransmissionId) -> list[Message]:
    """A reduce to next to nothing, or a terminate, in both versions."""
    speed_kbps = 0 if kind is MessageType.TERMINATE else LOW_KBPS
    return [Adjustment(kind, who, speed_kbps), ExtendedAdjustment(kind, who, speed_kbps, extension=MessageExtension(sequence=2**31))]
