"""In-band telemetry on the wire: a sender's question, and the record that each switch on its way writes into it (docs/hpcc.md).

The same headers stand in p4src/telemetry.p4, and tests/protocol compares both. A question travels as messages do, from UDP_PORT to
UDP_PORT; the receiver sends it back with all records.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Annotated, Final

from protocol.codes import ErrorReason
from protocol.constants import VERSION
from protocol.frames import UDP_HEADER_BYTES
from protocol.headers import TransmissionId
from protocol.layout import U8, U32, U64, Bits, FieldError, Header, layout_of
from protocol.wire import MessageError

MOST_HOPS: Final = 8
"""Switches write no more records into one question."""


class TelemetryType(IntEnum):
    """`type` of telemetry."""

    QUESTION = 0x0041
    ECHO = 0x0042
    """The receiver's answer."""


@dataclass(frozen=True, slots=True)
class TelemetryHeader(Header):
    """In front of the records."""

    type: Annotated[TelemetryType, Bits(16)]
    version: U8 = field(default=VERSION, kw_only=True)
    hops: U8 = field(default=0, kw_only=True)
    id: TransmissionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop(Header):
    """The record of one link, which a question has left behind.

    `sent_bytes`: by this port since its switch began. `left_us`: when the question left, modulo 2 ** 32.
    """

    link_kbps: U32
    queue_packets: U32
    sent_bytes: U64
    left_us: U32


_TYPES: Final = frozenset(TelemetryType)
HEADER_BYTES: Final = layout_of(TelemetryHeader).size_bytes
HOP_BYTES: Final = layout_of(Hop).size_bytes
QUESTION_UDP_LENGTH_BYTES: Final = UDP_HEADER_BYTES + HEADER_BYTES
"""Of a question without records."""


@dataclass(frozen=True, slots=True)
class Telemetry:
    """A question or its echo. `hops`: the records, the last switch's first."""

    type: TelemetryType
    id: TransmissionId
    hops: tuple[Hop, ...] = ()

    def encode(self) -> bytes:
        """The message's bytes.

        Raises:
            MessageError: a field is out of range, or there are too many records.
        """
        if len(self.hops) > MOST_HOPS:
            raise MessageError(f"telemetry: {len(self.hops)} records; {MOST_HOPS} fit")
        try:
            return TelemetryHeader(self.type, self.id, hops=len(self.hops)).encode() + b"".join(hop.encode() for hop in self.hops)
        except FieldError as error:
            raise MessageError(f"telemetry: {error}") from None

    @property
    def echo(self) -> Telemetry | None:
        """The receiver's answer; None: it is one already."""
        return replace(self, type=TelemetryType.ECHO) if self.type is TelemetryType.QUESTION else None


def is_telemetry(data: bytes) -> bool:
    """Whether a UDP payload says that it is telemetry."""
    return int.from_bytes(data[:2], "big") in _TYPES


def decode_telemetry(data: bytes) -> Telemetry:
    """The telemetry in a UDP payload.

    Raises:
        MessageError: it is malformed; with the reason.
    """
    if len(data) < HEADER_BYTES:
        raise MessageError(f"length is {len(data)} bytes, less than {HEADER_BYTES}", ErrorReason.LENGTH)
    header = TelemetryHeader.decode(data)
    if header.version != VERSION:
        raise MessageError(f"version is {header.version}, not {VERSION}", ErrorReason.VERSION)
    if header.hops > MOST_HOPS or len(data) != HEADER_BYTES + header.hops * HOP_BYTES:
        raise MessageError(f"length is {len(data)} bytes, with {header.hops} records", ErrorReason.LENGTH)
    hops = [Hop.decode(data[HEADER_BYTES + number * HOP_BYTES :]) for number in range(header.hops)]
    return Telemetry(header.type, header.id, tuple(hops))
