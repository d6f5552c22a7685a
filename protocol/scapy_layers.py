"""Scapy layers for Nodectl messages, events and packet-outs: for tests, and for reading captures.

Importing the module binds Nodectl to UDP port 4747, so that Scapy dissects the messages in any capture.
"""

from __future__ import annotations

from scapy.fields import (
    BitField,
    ByteEnumField,
    ByteField,
    FlagsField,
    IntField,
    IPField,
    LongField,
    ShortEnumField,
    ShortField,
    XBitField,
    XLongField,
)
from scapy.layers.inet import UDP
from scapy.packet import Packet, bind_layers

from protocol.events import PACKET_OUT_MAGIC, EntryType, EventType
from protocol.wire import UDP_PORT, VERSION, MessageType


class Nodectl(Packet):
    """One message. In adjustment messages `max_kbps` is the speed, `min_kbps` and `rtt_us` are reserved (0)."""

    name = "Nodectl"
    fields_desc = [  # noqa: RUF012 (Scapy's way)
        ShortEnumField("type", int(MessageType.REQUEST), {int(kind): kind.name.lower() for kind in MessageType}),
        ByteField("version", VERSION),
        FlagsField("flags", 0, 8, ["renegotiation", "refresh"]),
        XLongField("content_id", 0),
        IntField("destination_id", 0),
        IntField("subflow", 0),
        IntField("max_kbps", 0),
        IntField("min_kbps", 0),
        IntField("rtt_us", 0),
    ]


class NodectlEvent(Packet):
    """The packet_in header."""

    name = "NodectlEvent"
    fields_desc = [  # noqa: RUF012
        ByteEnumField("event", 1, {int(kind): kind.name.lower() for kind in EventType}),
        ByteField("verdict", 0),
        ShortField("data_port", 0),
        IntField("rate_kbps", 0),
        IntField("previous_rate_kbps", 0),
        IntField("share_kbps", 0),
        IntField("transmission_share_kbps", 0),
        LongField("port_sum_kbps", 0),
        IntField("port_count", 0),
        LongField("bottleneck_sum_kbps", 0),
        IntField("bottleneck_count", 0),
        IntField("expected_arrivals_q8", 0),
        IntField("slot", 0),
        ByteField("is_bottleneck", 0),
        ByteField("reserved", 0),
        XLongField("content_id", 0),
        IntField("destination_id", 0),
        IntField("subflow", 0),
        IPField("sender_ip", "0.0.0.0"),
        IPField("receiver_ip", "0.0.0.0"),
        BitField("last_seen_us", 0, 48),
    ]


class NodectlPacketOut(Packet):
    """The packet_out header."""

    name = "NodectlPacketOut"
    fields_desc = [  # noqa: RUF012
        XBitField("magic", PACKET_OUT_MAGIC, 48),
        ByteField("count", 1),
        ByteField("reserved", 0),
    ]


class NodectlEntry(Packet):
    """One entry of a packet-out; entries follow one another."""

    name = "NodectlEntry"
    fields_desc = [  # noqa: RUF012
        ShortEnumField("type", int(EntryType.REDUCE), {int(kind): kind.name.lower() for kind in EntryType}),
        ShortField("reserved", 0),
        ShortField("data_port", 0),
        XLongField("content_id", 0),
        IntField("destination_id", 0),
        IntField("subflow", 0),
        IPField("sender_ip", "0.0.0.0"),
        IPField("receiver_ip", "0.0.0.0"),
        IntField("value", 0),
    ]


bind_layers(UDP, Nodectl, sport=UDP_PORT, dport=UDP_PORT)
bind_layers(NodectlPacketOut, NodectlEntry)
bind_layers(NodectlEntry, NodectlEntry)
