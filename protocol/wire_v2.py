"""Messages of version 2 (docs/protocol/wire-format.md, "Version 2 of the messages"), and reading messages of either version."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from protocol.codes import KNOWN_FLAGS_2, NEGOTIATION_TYPES, VERSION_2_TYPES, ErrorReason
from protocol.deployable_headers import EXTENDED_BYTES, VERSION_2, MessageExtension
from protocol.headers import MESSAGE_BYTES, MessageHeader
from protocol.layout import U8, FieldError, layout_of
from protocol.wire import Adjustment, Message, MessageError, Negotiation, validate
from protocol.wire import decode as decode_version_1


@dataclass(frozen=True, slots=True)
class ExtendedNegotiation(Negotiation):
    """Request, success, failure or challenge of version 2."""

    version: U8 = field(default=VERSION_2, kw_only=True)
    extension: MessageExtension = field(kw_only=True)

    def encode(self) -> bytes:
        """The message's bytes; MessageError if a field is out of range."""
        validate(self, KNOWN_FLAGS_2)
        return _packed(self, self.extension)

    def granting(self, granted_kbps: int) -> ExtendedNegotiation:
        """As in Negotiation."""
        return replace(self, extension=replace(self.extension, granted_kbps=granted_kbps))


@dataclass(frozen=True, slots=True)
class ExtendedAdjustment(Adjustment):
    """Reduce, increase or terminate of version 2."""

    extension: MessageExtension = field(kw_only=True)

    def encode(self) -> bytes:
        """The message's bytes; MessageError if a field is out of range."""
        validate(self, KNOWN_FLAGS_2)
        return _packed(MessageHeader(self.type, self.id, self.speed_kbps, 0, 0, flags=self.flags, version=VERSION_2), self.extension)


ExtendedMessage = ExtendedNegotiation | ExtendedAdjustment
_HEADER_FIELDS = tuple(one.name for one in fields(MessageHeader))


def extension_of(message: Message) -> MessageExtension | None:
    """The extension of a message of version 2; None for one of version 1."""
    return message.extension if isinstance(message, ExtendedMessage) else None


def decode(data: bytes) -> Message:
    """The message of either version in a UDP payload; MessageError with the reason if it is malformed."""
    if len(data) != EXTENDED_BYTES:
        return decode_version_1(data)
    values = layout_of(MessageHeader).values(data)
    if values["version"] != VERSION_2:
        raise MessageError(f"version is {values['version']}, not {VERSION_2}, in a message of {len(data)} bytes", ErrorReason.VERSION)
    try:
        header = layout_of(MessageHeader).build(values)
    except ValueError:
        raise MessageError(f"type {values['type']:#06x} is unknown", ErrorReason.TYPE) from None
    if values["flags"] & ~KNOWN_FLAGS_2:
        raise MessageError(f"flags {values['flags']:#04x} have unknown bits (known: {KNOWN_FLAGS_2:#04x})", ErrorReason.FLAGS)
    extension = MessageExtension.decode(data[MESSAGE_BYTES:])
    message: ExtendedMessage
    if header.type in NEGOTIATION_TYPES | VERSION_2_TYPES:
        message = ExtendedNegotiation(**{name: getattr(header, name) for name in _HEADER_FIELDS}, extension=extension)
    elif header.min_kbps or header.rtt_us:
        raise MessageError("min and rtt, which are reserved here, are not 0", ErrorReason.RESERVED)
    else:
        message = ExtendedAdjustment(header.type, header.id, header.max_kbps, header.flags, extension=extension)
    validate(message, KNOWN_FLAGS_2)
    return message


def _packed(header: MessageHeader, extension: MessageExtension) -> bytes:
    try:
        return layout_of(MessageHeader).pack(header) + extension.encode()
    except FieldError as error:
        raise MessageError(f"{header.type.name.lower()}: {error}") from None
