"""The Nodectl messages on the wire (docs/protocol.md, "Messages").

Every message is 32 bytes of UDP payload, port 4747 to port 4747, big-endian. Rates are kbit/s at the Ethernet
frame (without FCS), times are microseconds. A negotiation message carries what the transmission may get at
most and needs at least; an adjustment message tells a sender to change its rate, or ends a transmission.
"""

from __future__ import annotations

import secrets
import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Final

UDP_PORT: Final = 4747
VERSION: Final = 1
MESSAGE_BYTES: Final = 32
UDP_LENGTH_BYTES: Final = 8 + MESSAGE_BYTES
IPV4_LENGTH_BYTES: Final = 20 + UDP_LENGTH_BYTES
FRAME_BYTES: Final = 14 + IPV4_LENGTH_BYTES

MAX_RTT_US: Final = 2**24 - 1
MAX_RATE_KBPS: Final = 2**32 - 1

_COMMON = struct.Struct("!HBBQII")
_NEGOTIATION_TAIL = struct.Struct("!III")
_ADJUSTMENT_TAIL = struct.Struct("!IQ")


class MessageType(IntEnum):
    """The `type` field."""

    REQUEST = 0x0011
    SUCCESS = 0x0012
    FAILURE = 0x0013
    REDUCE = 0x0021
    INCREASE = 0x0022
    TERMINATE = 0x0023


NEGOTIATION_TYPES: Final = frozenset({MessageType.REQUEST, MessageType.SUCCESS, MessageType.FAILURE})
ADJUSTMENT_TYPES: Final = frozenset({MessageType.REDUCE, MessageType.INCREASE, MessageType.TERMINATE})


class Flags(IntFlag):
    """The `flags` field. Unknown bits make a message malformed."""

    NONE = 0
    RENEGOTIATION = 1
    REFRESH = 2


KNOWN_FLAGS: Final = int(Flags.RENEGOTIATION | Flags.REFRESH)


class ErrorReason(IntEnum):
    """Why a switch ignores a message: index into its counter `nodectl_errors`. The first that applies is counted."""

    LENGTH = 0
    CHECKSUM = 1
    VERSION = 2
    TYPE = 3
    FLAGS = 4
    MAX_ZERO = 5
    MIN_ABOVE_MAX = 6
    RTT = 7
    RESERVED = 8
    SPEED_ZERO = 9
    UNKNOWN_ID = 10
    ID_COLLISION = 11
    STORE_FULL = 12
    FORGED_BATCH = 13
    """A frame that looks like a packet-out but did not come from the controller: dropped."""


ERROR_REASONS: Final = 16
"""Size of the counter `nodectl_errors`."""


class MessageError(ValueError):
    """A message that does not follow the wire format; the text says which field is wrong, and how.

    `reason` is where a switch counts it; None where the message does not even fit the format (encoding only).
    """

    def __init__(self, text: str, reason: ErrorReason | None = None) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class TransmissionId:
    """What names one subflow of one transmission."""

    content_id: int
    destination_id: int
    subflow: int = 0

    @staticmethod
    def new(destination_id: int = 0, subflow: int = 0) -> TransmissionId:
        """A transmission with a random 64-bit content id, so that nobody forges its messages by guessing."""
        return TransmissionId(secrets.randbits(64), destination_id, subflow)


@dataclass(frozen=True, slots=True)
class Negotiation:
    """Request, success or failure.

    `max_kbps`: the most the transmission can get so far. `min_kbps`: the least it accepts, 0 for none.
    `rtt_us`: the sender's round-trip time.
    """

    type: MessageType
    id: TransmissionId
    max_kbps: int
    min_kbps: int
    rtt_us: int
    flags: Flags = Flags.NONE

    def encode(self) -> bytes:
        """The 32 bytes; MessageError if a field is out of range."""
        validate(self)
        try:
            return _pack_common(self.type, self.flags, self.id) + _NEGOTIATION_TAIL.pack(self.max_kbps, self.min_kbps, self.rtt_us)
        except struct.error as error:
            raise MessageError(f"a field of {self} does not fit its place: {error}") from None


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Reduce, increase or terminate. `speed_kbps` is the new rate (terminate: any value, by custom 0)."""

    type: MessageType
    id: TransmissionId
    speed_kbps: int
    flags: Flags = Flags.NONE

    def encode(self) -> bytes:
        """The 32 bytes; MessageError if a field is out of range."""
        validate(self)
        try:
            return _pack_common(self.type, self.flags, self.id) + _ADJUSTMENT_TAIL.pack(self.speed_kbps, 0)
        except struct.error as error:
            raise MessageError(f"a field of {self} does not fit its place: {error}") from None


Message = Negotiation | Adjustment


def _pack_common(message_type: MessageType, flags: Flags, transmission: TransmissionId) -> bytes:
    return _COMMON.pack(
        message_type,
        VERSION,
        int(flags),
        transmission.content_id,
        transmission.destination_id,
        transmission.subflow,
    )


def validate(message: Message) -> None:
    """Raise MessageError for what a switch would count as malformed (docs/protocol.md, "Malformed messages")."""
    if int(message.flags) & ~KNOWN_FLAGS:
        raise MessageError(f"flags {int(message.flags):#04x} have unknown bits (known: {KNOWN_FLAGS:#04x})", ErrorReason.FLAGS)
    if isinstance(message, Negotiation):
        _validate_negotiation(message)
    else:
        _validate_adjustment(message)


def _validate_negotiation(message: Negotiation) -> None:
    if message.type not in NEGOTIATION_TYPES:
        raise MessageError(f"type {message.type!r} is not a negotiation message", ErrorReason.TYPE)
    if message.max_kbps == 0:
        raise MessageError("max is 0 kbit/s: a transmission cannot have no rate", ErrorReason.MAX_ZERO)
    if message.type != MessageType.REQUEST:
        return  # a switch may have lowered max below min on the way back, and the receiver only echoes the RTT
    if message.min_kbps > message.max_kbps:
        raise MessageError(f"min {message.min_kbps} kbit/s is above max {message.max_kbps} kbit/s", ErrorReason.MIN_ABOVE_MAX)
    if not 1 <= message.rtt_us <= MAX_RTT_US:
        raise MessageError(f"rtt {message.rtt_us} µs is outside 1…{MAX_RTT_US} µs", ErrorReason.RTT)


def _validate_adjustment(message: Adjustment) -> None:
    if message.type not in ADJUSTMENT_TYPES:
        raise MessageError(f"type {message.type!r} is not an adjustment message", ErrorReason.TYPE)
    if message.speed_kbps == 0 and message.type != MessageType.TERMINATE:
        raise MessageError(f"{message.type.name.lower()} to 0 kbit/s: a rate of 0 is not allowed", ErrorReason.SPEED_ZERO)


def decode(data: bytes) -> Message:
    """The message in a UDP payload; MessageError with the reason if it is malformed."""
    if len(data) != MESSAGE_BYTES:
        raise MessageError(f"length is {len(data)} bytes, not {MESSAGE_BYTES}", ErrorReason.LENGTH)
    type_number, version, flags, content_id, destination_id, subflow = _COMMON.unpack_from(data)
    if version != VERSION:
        raise MessageError(f"version is {version}, not {VERSION}", ErrorReason.VERSION)
    try:
        message_type = MessageType(type_number)
    except ValueError:
        raise MessageError(f"type {type_number:#06x} is unknown", ErrorReason.TYPE) from None
    if flags & ~KNOWN_FLAGS:
        raise MessageError(f"flags {flags:#04x} have unknown bits (known: {KNOWN_FLAGS:#04x})", ErrorReason.FLAGS)
    transmission = TransmissionId(content_id, destination_id, subflow)
    message: Message
    if message_type in NEGOTIATION_TYPES:
        max_kbps, min_kbps, rtt_us = _NEGOTIATION_TAIL.unpack_from(data, _COMMON.size)
        message = Negotiation(message_type, transmission, max_kbps, min_kbps, rtt_us, Flags(flags))
    else:
        speed_kbps, reserved = _ADJUSTMENT_TAIL.unpack_from(data, _COMMON.size)
        if reserved != 0:
            raise MessageError(f"reserved field is {reserved:#x}, not 0", ErrorReason.RESERVED)
        message = Adjustment(message_type, transmission, speed_kbps, Flags(flags))
    validate(message)
    return message
