"""The wire schema of protocol/, of both versions of the messages, as a Lua table: dissector.lua makes its fields from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import IntEnum, IntFlag

from common.units import BITS_PER_BYTE
from protocol.codes import ADJUSTMENT_TYPES, KNOWN_FLAGS, KNOWN_FLAGS_2, VERDICTS, VERSION_2_TYPES, ErrorReason, MessageType
from protocol.constants import MAX_BATCH_ENTRIES, MAX_RTT_US, ONE_ARRIVAL_Q8, PACKET_OUT_MAGIC, UDP_PORT, VERSION
from protocol.deployable_headers import EXTENDED_BYTES, VERSION_2, DeployableEvent, MessageExtension
from protocol.frames import IPV4_HEADER_BYTES
from protocol.headers import MESSAGE_BYTES, Entry, Event, MessageHeader, PacketOutHeader
from protocol.layout import Header, LayoutField, Shown, layout_of
from protocol.telemetry import MOST_HOPS, Hop, TelemetryHeader, TelemetryType
from topo.frame_capture import CONTROLLER_LINK_TYPE, LINKTYPE_USER0

HEADERS: Mapping[str, type[Header]] = {
    "message": MessageHeader,
    "extension": MessageExtension,
    "event": Event,
    "deployable_event": DeployableEvent,
    "packet_out": PacketOutHeader,
    "entry": Entry,
    "telemetry": TelemetryHeader,
    "hop": Hop,
}
"""By the name that the Lua table has for each."""

SPEED, RESERVED = "speed_kbps", "reserved"
SPEED_IS_AT = "max_kbps"

LuaValue = str | int | bool | Sequence["LuaValue"] | Mapping[str, "LuaValue"] | Mapping[int, "LuaValue"]


def schema() -> dict[str, LuaValue]:
    """All of it, with offsets and sizes in bytes; of the errors those that a message shows by itself, whatever a switch remembers.

    Raises:
        ValueError: a field is no whole number of bytes, which dissector.lua does not know.
    """
    names = layout_of(MessageHeader).names
    after_speed = names[names.index(SPEED_IS_AT) + 1 :]
    return {
        "udp_port": UDP_PORT,
        "versions": {
            VERSION: _version(MESSAGE_BYTES, KNOWN_FLAGS, set(MessageType) - VERSION_2_TYPES),
            VERSION_2: _version(EXTENDED_BYTES, KNOWN_FLAGS_2, set(MessageType)),
        },
        "oldest_version": VERSION,
        "max_rtt_us": MAX_RTT_US,
        "ipv4_header_bytes": IPV4_HEADER_BYTES,
        "one_arrival_q8": ONE_ARRIVAL_Q8,
        "max_batch_entries": MAX_BATCH_ENTRIES,
        "packet_out_magic": f"{PACKET_OUT_MAGIC:012x}",
        "controller_link_type": f"USER{CONTROLLER_LINK_TYPE - LINKTYPE_USER0}",
        "errors": {int(reason): reason.name.lower() for reason in ErrorReason if reason < ErrorReason.UNKNOWN_ID},
        "verdicts": {int(event): _words(kinds) for event, kinds in VERDICTS.items()},
        "is_adjustment": {int(kind): True for kind in sorted(ADJUSTMENT_TYPES)},
        "is_telemetry": {int(kind): True for kind in TelemetryType},
        "most_hops": MOST_HOPS,
        "in_adjustments": {SPEED_IS_AT: SPEED} | dict.fromkeys(after_speed, RESERVED),
        "headers": {name: _header(header) for name, header in HEADERS.items()},
    }


def _version(size_bytes: int, known_flags: int, types: Collection[MessageType]) -> dict[str, LuaValue]:
    return {"bytes": size_bytes, "known_flags": known_flags, "has_type": {int(kind): True for kind in sorted(types)}}


def _words(kinds: type[IntEnum]) -> dict[int, str]:
    return {int(kind): kind.name.lower() for kind in kinds}


def _header(header: type[Header]) -> dict[str, LuaValue]:
    layout = layout_of(header)
    return {"bytes": layout.size_bytes, "fields": [_field(header, field) for field in layout.fields]}


def _field(header: type[Header], field: LayoutField) -> dict[str, LuaValue]:
    if field.bits % BITS_PER_BYTE or field.offset_bits % BITS_PER_BYTE:
        raise ValueError(f"{header.__name__}.{field.name} does not begin and end with a byte: teach view/wireshark/dissector.lua about it")
    described: dict[str, LuaValue] = {
        "name": field.name,
        "offset": field.offset_bits // BITS_PER_BYTE,
        "bytes": field.bits // BITS_PER_BYTE,
        "shown": "boolean" if field.kind is bool else field.shown.name.lower(),
    }
    if issubclass(field.kind, IntFlag):
        described |= {"shown": Shown.HEXADECIMAL.name.lower(), "bits": {int(flag): str(flag.name).lower() for flag in field.kind if flag}}
    elif issubclass(field.kind, IntEnum):
        described |= {"shown": Shown.HEXADECIMAL.name.lower() if field.bits > BITS_PER_BYTE else field.shown.name.lower()}
        described |= {"values": _words(field.kind)}
    return described


def to_lua(value: LuaValue, indent: str = "") -> str:
    """A value as Lua source.

    Args:
        value: of strings without quotes and backslashes.
        indent: of the line that it ends on.
    """
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            return f'"{value}"'
        case Mapping():
            lines = [f"[{to_lua(key)}] = {to_lua(one, indent + '  ')}" for key, one in value.items()]
        case _:
            lines = [to_lua(one, indent + "  ") for one in value]
    if not any("{" in line for line in lines):
        return "{ " + ", ".join(lines) + " }"
    return "{\n" + "".join(f"{indent}  {line},\n" for line in lines) + indent + "}"
