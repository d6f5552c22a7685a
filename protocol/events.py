"""What the pipeline tells the controller (packet-in) and what the controller asks of it (packet-out).

docs/protocol.md describes both byte by byte. Rates are kbit/s, times µs of the switch's own clock.
All numbers are big-endian.

A packet-in is the header of `EVENT_BYTES` bytes, followed by the frame that caused it as it was received
(nothing where a packet-out entry caused it). A packet-out is a header of `PACKET_OUT_HEADER_BYTES` bytes
followed by 1 to `MAX_BATCH_ENTRIES` entries of `ENTRY_BYTES` bytes; the pipeline works the entries off in order.
Over P4Runtime both headers travel as packet metadata, named as the fields here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from protocol.wire import ERROR_REASONS, ErrorReason, MessageType, TransmissionId

__all__ = [
    "CLONE_SESSION",
    "CPU_PORT",
    "ENTRY_BYTES",
    "ERROR_REASONS",
    "EVENT_BYTES",
    "EVENT_FIELDS",
    "FRACTION_BITS",
    "MAX_BATCH_ENTRIES",
    "NO_SLOT",
    "PACKET_OUT_HEADER_BYTES",
    "PACKET_OUT_MAGIC",
    "SLOTS",
    "SLOTS_PER_WAY",
    "WAYS",
    "AdmittedVerdict",
    "Entry",
    "EntryProblem",
    "EntryType",
    "ErrorReason",
    "Event",
    "EventError",
    "EventType",
    "RefusedVerdict",
    "RemovedVerdict",
    "decode_entries",
    "decode_event",
    "decode_packet_out",
    "encode_entries",
    "encode_packet_out_frames",
    "encode_packet_outs",
    "event_from_metadata",
    "packet_out_metadata",
]

CPU_PORT: Final = 510
CLONE_SESSION: Final = 100
"""The clone session the controller must point to CPU_PORT: events and batches go through it."""

WAYS: Final = 4
SLOTS_PER_WAY: Final = 4096
SLOTS: Final = WAYS * SLOTS_PER_WAY
"""Places for records in one switch, over all its ports. Slot = way · SLOTS_PER_WAY + hash."""
NO_SLOT: Final = 0xFFFFFFFF

FRACTION_BITS: Final = 8
"""Fraction bits of expected_arrivals_q8 (Q_T)."""


class EventType(IntEnum):
    """`event` of a packet-in."""

    ADMITTED = 1
    REFUSED = 2
    CONFIRMED = 3
    REDUCED = 4
    REMOVED = 5
    REFRESHED = 6
    RECORD = 7
    PORT_TOTALS = 8
    UNANSWERED = 9
    """A packet-out entry that could not be carried out; the verdict is an EntryProblem."""


class AdmittedVerdict(IntEnum):
    """`verdict` of ADMITTED: which case of Algorithm 1 gave the rate, and so which list is due."""

    SHARE = 1
    """|B_s − B_a| ≤ β: nobody else changes."""
    REDUCE_OTHERS = 2
    """B_a − B_s > β: every record above the rate goes down to it."""
    INCREASE_OTHERS = 3
    """B_s − B_a > β: bottleneck records below the rate go up, those above it down (D4)."""


class RefusedVerdict(IntEnum):
    """`verdict` of REFUSED."""

    BELOW_MIN = 1
    STORE_FULL = 2


class RemovedVerdict(IntEnum):
    """`verdict` of REMOVED: why the record went."""

    TERMINATE = 1
    FAILURE = 2
    EXPIRED = 3


class EntryProblem(IntEnum):
    """`verdict` of UNANSWERED."""

    UNKNOWN_ID = 1
    ADDRESS_MISMATCH = 2
    NO_ROUTE = 3
    """The forwarding table does not know the sender's address: nothing was changed or sent."""
    BAD_ENTRY = 4
    """Unknown entry type, a rate of 0, or a slot that does not exist."""


_EVENT = struct.Struct("!BBHIIIIQIQIIIBBQIIIIHI")
EVENT_BYTES: Final = _EVENT.size

EVENT_FIELDS: Final = (
    "event",
    "verdict",
    "data_port",
    "rate_kbps",
    "previous_rate_kbps",
    "share_kbps",
    "transmission_share_kbps",
    "port_sum_kbps",
    "port_count",
    "bottleneck_sum_kbps",
    "bottleneck_count",
    "expected_arrivals_q8",
    "slot",
    "is_bottleneck",
    "reserved",
    "content_id",
    "destination_id",
    "subflow",
    "sender_ip",
    "receiver_ip",
    "last_seen_us",
)
"""Names of the packet_in header's fields, in order; all but last_seen_us (48 bits) are 8, 16, 32 or 64 bits."""


@dataclass(frozen=True, slots=True)
class Event:
    """One packet-in. Rates and sums are those after the event; `previous_rate_kbps` 0 means there was no record.

    `rate_kbps` is what the record reserves, `share_kbps` (B_c) what the port offered or reduced it to. `transmission_share_kbps` is what
    the port offered all subflows of the transmission together (ADMITTED and REFUSED, else 0): the lists that are due after ADMITTED go by
    it. The counts are of transmissions, not of subflows. After REFUSED and REMOVED the rate is 0. `slot` is NO_SLOT where no record is
    concerned.
    `expected_arrivals_q8` is Q_T with 8 fraction bits, 0 but for ADMITTED and REFUSED. `last_seen_us` is when the record was last
    seen alive.
    """

    event: EventType
    verdict: int
    data_port: int
    rate_kbps: int
    previous_rate_kbps: int
    port_sum_kbps: int
    port_count: int
    bottleneck_sum_kbps: int
    bottleneck_count: int
    expected_arrivals_q8: int
    slot: int
    is_bottleneck: bool
    id: TransmissionId
    sender_ip: int
    receiver_ip: int
    last_seen_us: int
    share_kbps: int = 0
    transmission_share_kbps: int = 0

    def encode(self) -> bytes:
        """The packet_in header, EVENT_BYTES long."""
        return _EVENT.pack(
            self.event,
            self.verdict,
            self.data_port,
            self.rate_kbps,
            self.previous_rate_kbps,
            self.share_kbps,
            self.transmission_share_kbps,
            self.port_sum_kbps,
            self.port_count,
            self.bottleneck_sum_kbps,
            self.bottleneck_count,
            self.expected_arrivals_q8,
            self.slot,
            self.is_bottleneck,
            0,
            self.id.content_id,
            self.id.destination_id,
            self.id.subflow,
            self.sender_ip,
            self.receiver_ip,
            self.last_seen_us >> 32,
            self.last_seen_us & 0xFFFFFFFF,
        )


class EventError(ValueError):
    """A packet-in that is no event of the pipeline."""


def decode_event(data: bytes) -> tuple[Event, bytes]:
    """Event and remaining frame from the raw bytes the pipeline sends out of the CPU port."""
    if len(data) < EVENT_BYTES:
        raise EventError(f"packet-in of {len(data)} bytes is shorter than its header ({EVENT_BYTES} bytes)")
    values = _EVENT.unpack_from(data)
    return _event_from((*values[:20], values[20] << 32 | values[21])), data[EVENT_BYTES:]


def event_from_metadata(metadata: Mapping[str, int]) -> Event:
    """Event from the packet metadata of a P4Runtime packet-in."""
    try:
        return _event_from(tuple(metadata[name] for name in EVENT_FIELDS))
    except KeyError as error:
        raise EventError(f"packet-in has no metadata field {error}; is this the Nodectl pipeline?") from None


def _event_from(values: tuple[int, ...]) -> Event:
    try:
        kind = EventType(values[0])
    except ValueError:
        raise EventError(f"packet-in has unknown event number {values[0]}") from None
    return Event(
        event=kind,
        verdict=values[1],
        data_port=values[2],
        rate_kbps=values[3],
        previous_rate_kbps=values[4],
        share_kbps=values[5],
        transmission_share_kbps=values[6],
        port_sum_kbps=values[7],
        port_count=values[8],
        bottleneck_sum_kbps=values[9],
        bottleneck_count=values[10],
        expected_arrivals_q8=values[11],
        slot=values[12],
        is_bottleneck=values[13] != 0,
        id=TransmissionId(values[15], values[16], values[17]),
        sender_ip=values[18],
        receiver_ip=values[19],
        last_seen_us=values[20],
    )


class EntryType(IntEnum):
    """`type` of a packet-out entry, and what its `value` means."""

    REDUCE = MessageType.REDUCE
    """value = kbit/s: lower the record to it and tell the sender; no event if that worked."""
    INCREASE = MessageType.INCREASE
    """value = kbit/s: tell the sender to renegotiate for it; the record stays; no event if that worked."""
    EXPIRE = MessageType.TERMINATE
    """value = µs: remove the record if it has not been seen for that long; event REMOVED, else REFRESHED."""
    READ_SLOT = 0x0031
    """value = slot: event RECORD if the slot is taken, nothing if it is free. Other fields ignored."""
    READ_PORT = 0x0032
    """Event PORT_TOTALS for data_port. Other fields ignored."""


_NOBODY: Final = TransmissionId(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing a packet-out asks the pipeline to do about one record; see EntryType for `value`."""

    type: EntryType
    data_port: int
    id: TransmissionId = _NOBODY
    sender_ip: int = 0
    receiver_ip: int = 0
    value: int = 0


_PACKET_OUT_HEADER = struct.Struct("!HIBB")
_ENTRY = struct.Struct("!HHHQIIIII")
PACKET_OUT_HEADER_BYTES: Final = _PACKET_OUT_HEADER.size
ENTRY_BYTES: Final = _ENTRY.size
MAX_BATCH_ENTRIES: Final = 64

PACKET_OUT_MAGIC: Final = 0x014E6F646563
"""First 48 bits of every packet-out ("Nodec" after a group address bit), by which the parser tells it from a frame."""


def encode_entries(entries: Iterable[Entry]) -> bytes:
    """The entries' bytes: the payload of a P4Runtime packet-out. Raises struct.error if a field does not fit."""
    pack = _ENTRY.pack
    return b"".join(
        [
            pack(
                entry.type,
                0,
                entry.data_port,
                entry.id.content_id,
                entry.id.destination_id,
                entry.id.subflow,
                entry.sender_ip,
                entry.receiver_ip,
                entry.value,
            )
            for entry in entries
        ]
    )


def packet_out_metadata(count: int) -> dict[str, int]:
    """The P4Runtime packet metadata of a packet-out with `count` entries."""
    return {"magic": PACKET_OUT_MAGIC, "count": count, "reserved": 0}


def encode_packet_outs(entries: Sequence[Entry]) -> list[tuple[dict[str, int], bytes]]:
    """(metadata, payload) of as many packet-outs as the entries need, in order."""
    return [
        (packet_out_metadata(len(batch)), encode_entries(batch))
        for batch in (entries[start : start + MAX_BATCH_ENTRIES] for start in range(0, len(entries), MAX_BATCH_ENTRIES))
    ]


def encode_packet_out_frames(entries: Sequence[Entry]) -> list[bytes]:
    """The same packet-outs as the pipeline receives them on the CPU port (header and entries)."""
    return [
        _PACKET_OUT_HEADER.pack(PACKET_OUT_MAGIC >> 32, PACKET_OUT_MAGIC & 0xFFFFFFFF, metadata["count"], 0) + payload
        for metadata, payload in encode_packet_outs(entries)
    ]


def decode_packet_out(frame: bytes) -> list[Entry]:
    """The entries of a packet-out frame (tests, logs); EventError if it is not one."""
    if len(frame) < PACKET_OUT_HEADER_BYTES:
        raise EventError("packet-out is shorter than its header")
    high, low, count, _ = _PACKET_OUT_HEADER.unpack_from(frame)
    if (high << 32 | low) != PACKET_OUT_MAGIC:
        raise EventError("frame does not start with the packet-out mark")
    entries = decode_entries(frame[PACKET_OUT_HEADER_BYTES:])
    if len(entries) != count:
        raise EventError(f"packet-out has {len(entries)} entries and says {count}")
    return entries


def decode_entries(payload: bytes) -> list[Entry]:
    """The entries in a packet-out's payload; EventError if there are parts of one, or one of unknown type."""
    try:
        return [
            Entry(EntryType(kind), port, TransmissionId(content, destination, subflow), sender, receiver, value)
            for kind, _, port, content, destination, subflow, sender, receiver, value in _ENTRY.iter_unpack(payload)
        ]
    except (struct.error, ValueError) as error:
        raise EventError(f"packet-out entries cannot be read: {error}") from None
