"""The reference model of p4src/enforcement.p4: the class of a packet, and drops at the first switch. See "enforcement", "classes" and
"opening connections" in docs/decisions/.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, NamedTuple

from protocol.constants import SLOTS
from protocol.frames import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, LONGEST_TCP_HEADER_BYTES
from protocol.keyed_hash import hash_of_words
from protocol.model.port_model import Record

UNITS_PER_BYTE: Final = 8000
"""Units of a bucket, which counts kbit/s times µs."""
BUCKET_BURST: Final = 65_536 * UNITS_PER_BYTE
BURST_US: Final = 10_000
SLACK: Final = 6
"""A sender may send 1/64 more than its rate, since pacing is not exact: as a shift."""
ANSWERS_BURST: Final = BUCKET_BURST // 8
ANSWERS_PART: Final = 4
"""Answers may take 1/16 of the rate of the connection that they answer: as a shift."""
LONGEST_FILLING_US: Final = 2**20
CONTROL_KBPS: Final = 1000
LEFT_FOR_MESSAGES: Final = BUCKET_BURST // 2
"""The part of a port's budget for messages that a segment which opens a connection must leave."""
LONGEST_OPENING: Final = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + LONGEST_TCP_HEADER_BYTES
"""Bytes of a frame that may open a connection."""
LONGEST_ANSWER: Final = 120
"""Bytes of a frame that may be an ACK."""
GRACE_US: Final = 2**19
"""How long a sender has to obey a reduce."""
DSCP_OTHERS: Final = 0
DSCP_NEGOTIATED: Final = 10
DSCP_OPENING: Final = 40


class TrafficClass(IntEnum):
    """The priority that a packet has in queues."""

    OTHERS = 0
    NEGOTIATED = 1
    CONTROL = 2
    """Messages, and segments that open connections."""


DSCP_OF_DATA: Final = {
    TrafficClass.OTHERS: DSCP_OTHERS,
    TrafficClass.NEGOTIATED: DSCP_NEGOTIATED,
    TrafficClass.CONTROL: DSCP_OPENING,
}
"""The DSCP that the first switch writes into all packets but messages, which are told by their ports."""


class Flow(NamedTuple):
    """A TCP connection, seen from its sender, and the port by which its data leaves."""

    sender_ip: int
    receiver_ip: int
    source_port: int
    destination_port: int
    data_port: int


@dataclass(slots=True)
class Bucket:
    """A token bucket."""

    level: int = 0

    def takes(self, filling: int, most: int, cost: int, left: int = 0) -> bool:
        """Whether a packet fits into the level after filling, if so much is to be left."""
        self.level = min(self.level + filling, most)
        if self.level < cost + left:
            return False
        self.level -= cost
        return True


@dataclass(slots=True)
class Metered:
    """The metering state of a slot."""

    connection: tuple[int, int] = (0, 0)
    ingress_port: int = 0
    """The port by which its requests come, and so its data."""
    filled_us: int = 0
    bucket: Bucket = field(default_factory=Bucket)
    excess: Bucket = field(default_factory=Bucket)
    answers_filled_us: int = 0
    answers: Bucket = field(default_factory=Bucket)


class Enforcement:
    """The meters of one switch. Slots keep theirs when their record goes, until a new one comes."""

    def __init__(self, places: int = SLOTS) -> None:
        """``places``: in each of the two tables that a connection is found by; as many as there are slots."""
        self.places = places
        self.key = 0
        """The key of the hash that gives connections their places."""
        self.slots: dict[int, Metered] = {}
        self.grace_until_us: dict[int, int] = {}
        self._places: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self._control: dict[int, tuple[Bucket, int]] = {}

    def note(self, record: Record, ports: tuple[int, int], ingress_port: int, is_new: bool, in_use: dict[int, Record], now_us: int) -> None:
        """A request that was admitted tells which connection its record is about, and by which port that comes."""
        metered = self.slots.setdefault(record.slot, Metered())
        metered.connection, metered.ingress_port = ports, ingress_port
        if is_new:
            metered.filled_us = now_us
            metered.bucket, metered.excess = Bucket(), Bucket()
        first, second = self._places_of(Flow(record.sender_ip, record.receiver_ip, *ports, record.data_port))
        there = self._places[0].get(first)
        if there is None or there == record.slot or there not in in_use:
            self._places[0][first] = record.slot
        else:
            self._places[1][second] = record.slot

    def find(self, flow: Flow, in_use: dict[int, Record]) -> Record | None:
        """The record of a connection."""
        found = None
        for places, place in zip(self._places, self._places_of(flow), strict=True):
            record = in_use.get(places.get(place, -1))
            if record is not None and flow == Flow(
                record.sender_ip, record.receiver_ip, *self.slots.get(record.slot, Metered()).connection, record.data_port
            ):
                found = record
        return found

    def meter(self, record: Record, confirmed_kbps: int, length: int, now_us: int) -> tuple[TrafficClass, bool]:
        """The class of a packet of a connection with a record, and whether it is dropped."""
        rate = confirmed_kbps
        if record.rate_kbps < rate and now_us >= self.grace_until_us.get(record.slot, 0):
            rate = record.rate_kbps
        rate += rate >> SLACK
        metered = self.slots[record.slot]
        elapsed_us = min(max(0, now_us - metered.filled_us), LONGEST_FILLING_US)
        metered.filled_us = now_us
        cost = length * UNITS_PER_BYTE
        fits = metered.bucket.takes(elapsed_us * rate, BUCKET_BURST + BURST_US * rate, cost)
        fits_excess = metered.excess.takes(elapsed_us * (rate >> 2), BUCKET_BURST, 0 if fits else cost)
        return (TrafficClass.NEGOTIATED if fits else TrafficClass.OTHERS), not fits_excess

    def meter_answer(self, record: Record, confirmed_kbps: int, length: int, now_us: int) -> TrafficClass:
        """The class of a packet that answers a connection with a record."""
        metered = self.slots[record.slot]
        elapsed_us = min(max(0, now_us - metered.answers_filled_us), LONGEST_FILLING_US)
        metered.answers_filled_us = now_us
        part = confirmed_kbps >> ANSWERS_PART
        fits = metered.answers.takes(elapsed_us * part, ANSWERS_BURST + BURST_US * part, length * UNITS_PER_BYTE)
        return TrafficClass.NEGOTIATED if fits else TrafficClass.OTHERS

    def takes_message(self, ingress_port: int, length: int, now_us: int) -> bool:
        """Whether a message of a host is not one too many."""
        return self._takes_control(ingress_port, length, now_us, 0)

    def takes_opening(self, ingress_port: int, length: int, now_us: int) -> bool:
        """Whether a host's segment with SYN goes in the class of messages: a small one that leaves messages their part of the budget."""
        return length <= LONGEST_OPENING and self._takes_control(ingress_port, length, now_us, LEFT_FOR_MESSAGES)

    def _takes_control(self, ingress_port: int, length: int, now_us: int, left: int) -> bool:
        bucket, filled_us = self._control.get(ingress_port, (Bucket(), 0))
        elapsed_us = min(max(0, now_us - filled_us), LONGEST_FILLING_US)
        fits = bucket.takes(elapsed_us * CONTROL_KBPS, BUCKET_BURST, length * UNITS_PER_BYTE, left)
        self._control[ingress_port] = (bucket, now_us)
        return fits

    def _places_of(self, flow: Flow) -> tuple[int, int]:
        connection = flow.source_port << 16 | flow.destination_port
        hashed = hash_of_words(self.key, [flow.sender_ip, flow.receiver_ip, connection, flow.data_port, 0])
        return hashed % self.places, (hashed // self.places) % self.places
