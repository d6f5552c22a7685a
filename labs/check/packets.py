"""Frames and their fields by name: ``ipv4.ttl``. Headers and names are those of protocol/headers.py, and so of p4src/message.p4."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address
from typing import Any, Final

from labs.check.vocabulary import Failed
from protocol.codes import MessageType
from protocol.constants import UDP_PORT
from protocol.frames import ETHERTYPE_IPV4, PROTOCOL_UDP, EthernetHeader, Ipv4Header, UdpHeader
from protocol.headers import Event, MessageHeader, TransmissionId
from protocol.layout import Layout, LayoutField, MacAddress, Shown, layout_of

Fields = dict[str, int]
"""Fields by name, in the order of the frame; the bytes after the last header are ``payload``, as one number."""

LAYOUTS: Final[dict[str, Layout[Any]]] = {
    "event": layout_of(Event),
    "ethernet": layout_of(EthernetHeader),
    "ipv4": layout_of(Ipv4Header),
    "udp": layout_of(UdpHeader),
    "nodectl": layout_of(MessageHeader),
}
PAYLOAD: Final = "payload"
ETHERNET_BYTES: Final = LAYOUTS["ethernet"].size_bytes
IPV4_BYTES: Final = LAYOUTS["ipv4"].size_bytes
UDP_AT: Final = ETHERNET_BYTES + IPV4_BYTES
UDP_CHECKSUM_AT: Final = 6
_HEXADECIMAL: Final = ("checksum", "ether_type", "type", "flags")


def ipv4(payload: bytes = b"sixteen bytes :)", **fields: int | str) -> bytes:
    """An IPv4 frame. Fields as ``ipv4_ttl=64``; those that are not given are sensible, checksums and lengths right."""
    values: dict[str, int | str] = {
        "ethernet.destination": 0x02_00_00_00_01_01,
        "ethernet.source": 0x02_00_00_00_00_01,
        "ethernet.ether_type": ETHERTYPE_IPV4,
        "ipv4.version": 4,
        "ipv4.header_length": IPV4_BYTES // 4,
        "ipv4.total_length": IPV4_BYTES + len(payload),
        "ipv4.identification": 1,
        "ipv4.ttl": 64,
        "ipv4.protocol": 253,  # for experiments (RFC 3692)
        "ipv4.source": "10.0.1.1",
        "ipv4.destination": "10.0.2.1",
    }
    values |= _dotted(fields)
    given = {name: _number(value) for name, value in values.items()}
    header = b"".join(_packed(name, given) for name in ("ethernet", "ipv4"))
    return _with_checksums(header + payload, set(given))


def udp(payload: bytes = b"sixteen bytes :)", **fields: int | str) -> bytes:
    """A UDP datagram in IPv4; see :func:`ipv4`."""
    size = LAYOUTS["udp"].size_bytes + len(payload)
    own = _dotted({"udp_source_port": 5000, "udp_destination_port": 5001, "udp_length": size} | fields)
    datagram = _packed("udp", {name: _number(value) for name, value in own.items()}) + payload
    others = {name.replace(".", "_", 1): value for name, value in own.items() if not name.startswith("udp.")}
    data = _with_checksums(ipv4(datagram, **({"ipv4_protocol": PROTOCOL_UDP} | others)), set(own))
    return _put(data, UDP_AT + UDP_CHECKSUM_AT, _number(own["udp.checksum"])) if "udp.checksum" in own else data


def message(
    kind: MessageType = MessageType.REQUEST, max_kbps: int = 100_000, *, number: int = 1, payload: bytes | None = None, **fields: int | str
) -> bytes:
    """A Nodectl message in UDP (docs/protocol/wire-format.md).

    Args:
        kind: its type.
        max_kbps: or speed.
        number: of the transmission.
        payload: instead of the message's 32 bytes.
        fields: as for :func:`ipv4`.
    """
    header = MessageHeader(kind, TransmissionId(0xC0FFEE00 + number, number), max_kbps, 0, 20_000 if kind < MessageType.REDUCE else 0)
    values = layout_of(MessageHeader).numbers(header)
    own = _dotted(fields)
    values |= {name.partition(".")[2]: _number(value) for name, value in own.items() if name.startswith("nodectl.")}
    body = _packed("nodectl", {f"nodectl.{name}": value for name, value in values.items()}) if payload is None else payload
    others = {name.replace(".", "_", 1): value for name, value in own.items() if not name.startswith("nodectl.")}
    ports = {"udp_source_port": UDP_PORT, "udp_destination_port": UDP_PORT}
    return udp(body, **(ports | others))


def frame(*parts: bytes | str) -> bytes:
    """A frame from bytes and hexadecimal digits."""
    return b"".join(bytes.fromhex(part) if isinstance(part, str) else part for part in parts)


def but(old: bytes, **fields: int | str) -> bytes:
    """The frame with other fields, ``ipv4_ttl=63``, and with checksums that are right then unless they are given."""
    given = {name: _number(value) for name, value in _dotted(fields).items()}
    values = fields_of(old) | given
    new = b""
    for name in headers_of(old):
        new += _packed(name, values)
    return _with_checksums(new + old[len(new) :], set(given))


def headers_of(data: bytes, *, from_cpu_port: bool = False) -> list[str]:
    """Names of the headers that a frame begins with."""
    found = []
    if from_cpu_port and len(data) >= LAYOUTS["event"].size_bytes:
        found.append("event")
        data = data[LAYOUTS["event"].size_bytes :]
    if len(data) < ETHERNET_BYTES:
        return found
    found.append("ethernet")
    ethernet = LAYOUTS["ethernet"].values(data)
    if ethernet["ether_type"] != ETHERTYPE_IPV4 or len(data) < UDP_AT:
        return found
    found.append("ipv4")
    ip = LAYOUTS["ipv4"].values(data[ETHERNET_BYTES:])
    if ip["header_length"] != IPV4_BYTES // 4 or ip["protocol"] != PROTOCOL_UDP or len(data) < UDP_AT + LAYOUTS["udp"].size_bytes:
        return found
    found.append("udp")
    ports = LAYOUTS["udp"].values(data[UDP_AT:])
    whole = UDP_AT + LAYOUTS["udp"].size_bytes + LAYOUTS["nodectl"].size_bytes
    if ports["source_port"] == ports["destination_port"] == UDP_PORT and len(data) >= whole:
        found.append("nodectl")
    return found


def fields_of(data: bytes, *, from_cpu_port: bool = False) -> Fields:
    """All fields of a frame by name."""
    found: Fields = {}
    at = 0
    for name in headers_of(data, from_cpu_port=from_cpu_port):
        found |= {f"{name}.{field}": value for field, value in LAYOUTS[name].values(data[at:]).items()}
        at += LAYOUTS[name].size_bytes
    if data[at:]:
        found[PAYLOAD] = int.from_bytes(data[at:], "big")
    return found


def event_fields(data: bytes) -> Fields:
    """The fields of the event that a packet-in begins with."""
    return LAYOUTS["event"].values(data)


def field_of(data: bytes, name: str) -> int:
    """One field of a frame that came out.

    Raises:
        Failed: the frame has no such header.
    """
    fields = fields_of(data)
    if name not in fields:
        raise Failed(
            f"the packet that came out has no {name.partition('.')[0]} header: is it emitted by the deparser, and was it extracted?"
        )
    return fields[name]


def shown(name: str, value: int | None) -> str:
    """A field's value as people read it."""
    if value is None:
        return "(not there)"
    if name == PAYLOAD:
        digits = f"{value:x}"
        return f"{digits[:16]}… ({len(digits) // 2 + len(digits) % 2} bytes)" if len(digits) > 16 else digits
    header, _, field = name.partition(".")
    layout = next((one for one in LAYOUTS[header].fields if one.name == field), None) if header in LAYOUTS else None
    return str(value) if layout is None else _shown(layout, field, value)


def right_checksums(data: bytes) -> Fields:
    """The right checksums of a frame."""
    return {name: value for name, value in fields_of(_with_checksums(data, set())).items() if name.endswith(".checksum")}


def _shown(field: LayoutField, name: str, value: int) -> str:
    if field.bits == MacAddress.__metadata__[0].width and field.shown is Shown.HEXADECIMAL:  # type: ignore[attr-defined]
        return ":".join(f"{byte:02x}" for byte in value.to_bytes(6, "big"))
    if field.shown is Shown.IPV4_ADDRESS:
        return str(IPv4Address(value))
    if field.shown is Shown.HEXADECIMAL or name in _HEXADECIMAL:
        return f"0x{value:0{-(-field.bits // 4)}x}"
    return str(value)


def _dotted(fields: Mapping[str, int | str]) -> dict[str, int | str]:
    return {name.replace("_", ".", 1) if "." not in name else name: value for name, value in fields.items()}


def _number(value: int | str) -> int:
    if isinstance(value, int):
        return int(value)
    return int(value.replace(":", ""), 16) if ":" in value else int(IPv4Address(value))


def _packed(header: str, values: Mapping[str, int]) -> bytes:
    layout = LAYOUTS[header]
    number = 0
    for field in layout.fields:
        value = values.get(f"{header}.{field.name}", 0)
        if not 0 <= value < 1 << field.bits:
            raise ValueError(f"{header}.{field.name} has {field.bits} bits, which {value} does not fit")
        number = number << field.bits | value
    return number.to_bytes(layout.size_bytes, "big")


def _with_checksums(data: bytes, given: set[str]) -> bytes:
    headers = headers_of(data)
    if "ipv4" in headers and "ipv4.checksum" not in given:
        data = _put(data, ETHERNET_BYTES + 10, internet_checksum(data[ETHERNET_BYTES:UDP_AT], 10))
    if "udp" in headers and "udp.checksum" not in given:
        length = LAYOUTS["udp"].values(data[UDP_AT:])["length"]
        pseudo = data[ETHERNET_BYTES + 12 : UDP_AT] + bytes([0, PROTOCOL_UDP]) + length.to_bytes(2, "big")
        value = internet_checksum(pseudo + data[UDP_AT : UDP_AT + length], len(pseudo) + UDP_CHECKSUM_AT)
        data = _put(data, UDP_AT + UDP_CHECKSUM_AT, value or 0xFFFF)
    return data


def _put(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + value.to_bytes(2, "big") + data[at + 2 :]


def internet_checksum(data: bytes, field_at: int) -> int:
    """The checksum of RFC 1071 over ``data``, whose checksum field stands at ``field_at``."""
    data = data[:field_at] + b"\0\0" + data[field_at + 2 :]
    data += b"\0" * (len(data) % 2)
    number = int.from_bytes(data, "big")
    # Adding 16-bit words with end-around carry is counting modulo 2^16 − 1, where nothing but nothing adds up to 0.
    return 0xFFFF - (number % 0xFFFF or (0xFFFF if number else 0))
