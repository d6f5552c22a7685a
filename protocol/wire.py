"""The Nodectl messages on the wire (docs/protocol/wire-format.md, "Messages"): their allowed values, and reading them.

Every message is MESSAGE_BYTES of UDP payload, from UDP_PORT to UDP_PORT; protocol/headers.py has its layout. Rates are kbit/s at the
Ethernet frame (without FCS), times are microseconds. A negotiation message carries the most that the
transmission may get and the least that it needs. An adjustment message tells a sender to change its rate, or ends a transmission.
"""

from __future__ import annotations

from dataclasses import dataclass

from protocol.codes import ADJUSTMENT_TYPES, KNOWN_FLAGS, NEGOTIATION_TYPES, VERSION_2_TYPES, ErrorReason, Flags, MessageType
from protocol.constants import ERROR_REASONS, MAX_RATE_KBPS, MAX_RTT_US, UDP_PORT, VERSION
from protocol.headers import FRAME_BYTES, IPV4_LENGTH_BYTES, MESSAGE_BYTES, UDP_LENGTH_BYTES, MessageHeader, TransmissionId
from protocol.layout import FieldError, layout_of

__all__ = [
    "ADJUSTMENT_TYPES",
    "ERROR_REASONS",
    "FRAME_BYTES",
    "IPV4_LENGTH_BYTES",
    "KNOWN_FLAGS",
    "MAX_RATE_KBPS",
    "MAX_RTT_US",
    "MESSAGE_BYTES",
    "NEGOTIATION_TYPES",
    "UDP_LENGTH_BYTES",
    "UDP_PORT",
    "VERSION",
    "Adjustment",
    "ErrorReason",
    "Flags",
    "Message",
    "MessageError",
    "MessageType",
    "Negotiation",
    "TransmissionId",
    "decode",
    "validate",
]


class MessageError(ValueError):
    """A message that does not follow the wire format; the text says which field is wrong, and how.

    `reason` is where a switch counts it; None where the message does not even fit the format (encoding only).
    """

    def __init__(self, text: str, reason: ErrorReason | None = None) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Negotiation(MessageHeader):
    """Request, success or failure.

    `max_kbps`: the most the transmission can get so far. `min_kbps`: the least it accepts, 0 for none.
    `rtt_us`: the sender's round-trip time.
    """

    def encode(self) -> bytes:
        """The message's bytes; MessageError if a field is out of range."""
        validate(self)
        return _packed(self)

    def granting(self, granted_kbps: int) -> Negotiation:  # noqa: ARG002 - a field of later versions
        """The message with the rate that is granted so far, in kbit/s, where its version has a field for it."""
        return self


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Reduce, increase or terminate. `speed_kbps` is the new rate (terminate: any value, by custom 0)."""

    type: MessageType
    id: TransmissionId
    speed_kbps: int
    flags: Flags = Flags.NONE

    def encode(self) -> bytes:
        """The message's bytes; MessageError if a field is out of range."""
        validate(self)
        return _packed(MessageHeader(self.type, self.id, self.speed_kbps, 0, 0, flags=self.flags))


Message = Negotiation | Adjustment

_LAYOUT = layout_of(Negotiation)
_RESERVED_IN_ADJUSTMENTS = _LAYOUT.names[_LAYOUT.names.index("max_kbps") + 1 :]


def _packed(header: MessageHeader) -> bytes:
    try:
        return layout_of(MessageHeader).pack(header)
    except FieldError as error:
        raise MessageError(f"{header.type.name.lower()}: {error}") from None


def validate(message: Message, known_flags: int = KNOWN_FLAGS) -> None:
    """Raise MessageError for a message that a switch would count as malformed (docs/protocol/wire-format.md, "Malformed messages")."""
    if int(message.flags) & ~known_flags:
        raise MessageError(f"flags {int(message.flags):#04x} have unknown bits (known: {known_flags:#04x})", ErrorReason.FLAGS)
    if isinstance(message, Negotiation):
        _validate_negotiation(message)
    else:
        _validate_adjustment(message)


def _validate_negotiation(message: Negotiation) -> None:
    if message.type not in NEGOTIATION_TYPES | VERSION_2_TYPES:
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
    values = _LAYOUT.values(data)
    if values["version"] != VERSION:
        raise MessageError(f"version is {values['version']}, not {VERSION}", ErrorReason.VERSION)
    try:
        header = _LAYOUT.build(values)
    except ValueError:
        raise MessageError(f"type {values['type']:#06x} is unknown", ErrorReason.TYPE) from None
    if header.type in VERSION_2_TYPES:
        raise MessageError(f"type {values['type']:#06x} is unknown in version {VERSION}", ErrorReason.TYPE)
    if values["flags"] & ~KNOWN_FLAGS:
        raise MessageError(f"flags {values['flags']:#04x} have unknown bits (known: {KNOWN_FLAGS:#04x})", ErrorReason.FLAGS)
    if header.type in NEGOTIATION_TYPES:
        validate(header)
        return header
    message = Adjustment(header.type, header.id, header.max_kbps, header.flags)
    for name in _RESERVED_IN_ADJUSTMENTS:
        if values[name] != 0:
            raise MessageError(f"{name}, which is reserved here, is {values[name]:#x}, not 0", ErrorReason.RESERVED)
    validate(message)
    return message
