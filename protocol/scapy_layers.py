"""Scapy layers for Nodectl messages, events and packet-outs: for tests, and for reading captures.

They follow from protocol/headers.py. Importing the module binds Nodectl to its UDP port, so that Scapy dissects the messages in any
capture.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Any

from scapy.fields import BitEnumField, BitField, FlagsField, IPField, XBitField
from scapy.layers.inet import UDP
from scapy.packet import Packet, bind_layers

from protocol.constants import UDP_PORT
from protocol.headers import Entry, Event, MessageHeader, PacketOutHeader
from protocol.layout import Header, LayoutField, Shown, layout_of


def _scapy_fields(header: type[Header]) -> list[Any]:
    return [_scapy_field(field) for field in layout_of(header).fields]


def _scapy_field(field: LayoutField) -> Any:
    if issubclass(field.kind, IntFlag):
        return FlagsField(field.name, field.default or 0, field.bits, [str(flag.name).lower() for flag in field.kind if flag])
    if issubclass(field.kind, IntEnum):
        kinds = {int(kind): kind.name.lower() for kind in field.kind}
        return BitEnumField(field.name, min(kinds) if field.default is None else field.default, field.bits, kinds)
    match field.shown:
        case Shown.IPV4_ADDRESS:
            return IPField(field.name, "0.0.0.0")
        case Shown.HEXADECIMAL:
            return XBitField(field.name, field.default or 0, field.bits)
        case Shown.DECIMAL:
            return BitField(field.name, field.default or 0, field.bits)


class Nodectl(Packet):
    """One message. In adjustment messages `max_kbps` is the speed, and the fields behind it are reserved (0)."""

    name = "Nodectl"
    fields_desc = _scapy_fields(MessageHeader)


class NodectlEvent(Packet):
    """The packet_in header."""

    name = "NodectlEvent"
    fields_desc = _scapy_fields(Event)


class NodectlPacketOut(Packet):
    """The packet_out header."""

    name = "NodectlPacketOut"
    fields_desc = _scapy_fields(PacketOutHeader)


class NodectlEntry(Packet):
    """One entry of a packet-out; entries follow one another."""

    name = "NodectlEntry"
    fields_desc = _scapy_fields(Entry)


bind_layers(UDP, Nodectl, sport=UDP_PORT, dport=UDP_PORT)
bind_layers(NodectlPacketOut, NodectlEntry)
bind_layers(NodectlEntry, NodectlEntry)
