"""The headers that the deployable variant (docs/protocol/deployable.md) adds to those of protocol/headers.py, or extends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocol.frames import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, UDP_HEADER_BYTES
from protocol.headers import HEADERS, MESSAGE_BYTES, Event
from protocol.layout import U8, U16, U32, U64, Header, layout_of

VERSION_2: Final = 2

KEYS: Final = 2
"""Secret keys of a switch: one for indices, one for tokens."""
INDEX_KEY: Final = 0
TOKEN_KEY: Final = 1
SOURCE_SLOTS: Final = 4096
SOURCE_RECORDS: Final = 64
"""Most records that one source may have on one port."""
MAX_COUNTED_RTT_US: Final = 2**18
"""Longest RTT that counts when a switch estimates the arrivals within an RTT."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageExtension(Header):
    """The part of a message after its first 32 bytes, in version 2."""

    sequence: U32
    current_kbps: U32 = 0
    granted_kbps: U32 = 0
    source_port: U16 = 0
    destination_port: U16 = 0
    token: U64 = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TcpHeader(Header):
    """The fields of a TCP segment that a switch reads (RFC 9293)."""

    source_port: U16
    destination_port: U16
    sequence: U32
    acknowledgement: U32
    data_offset: U8
    flags: U8


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployableEvent(Event):
    """A packet-in of the deployable variant.

    `reserved_kbps`, `min_kbps` and `sequence` are the record's after the event, `port_reserved_sum_kbps` is the sum of its port's reserves.
    """

    reserved_kbps: U32 = 0
    min_kbps: U32 = 0
    sequence: U32 = 0
    port_reserved_sum_kbps: U64 = 0


DEPLOYABLE_HEADERS: Final[dict[str, type[Header]]] = HEADERS | {
    "nodectl_v2_t": MessageExtension,
    "tcp_t": TcpHeader,
    "packet_in_t": DeployableEvent,
}
"""By the header's name in the P4 program."""

EXTENDED_BYTES: Final = MESSAGE_BYTES + layout_of(MessageExtension).size_bytes
EXTENDED_UDP_LENGTH_BYTES: Final = UDP_HEADER_BYTES + EXTENDED_BYTES
EXTENDED_IPV4_LENGTH_BYTES: Final = IPV4_HEADER_BYTES + EXTENDED_UDP_LENGTH_BYTES
EXTENDED_FRAME_BYTES: Final = ETHERNET_HEADER_BYTES + EXTENDED_IPV4_LENGTH_BYTES
"""A message's frame, without FCS."""

DEPLOYABLE_EVENT_BYTES: Final = layout_of(DeployableEvent).size_bytes
