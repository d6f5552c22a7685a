"""The headers of Nodectl: each field once, with its width, in the order in which it is sent, big-endian.

Sizes, encoding and decoding (protocol/layout.py) and the Scapy layers (protocol/scapy_layers.py) follow. The same headers stand
in p4src/headers.p4 and docs/protocol/wire-format.md, and tests/protocol compares all three. Rates are kbit/s, times µs of the
switch's own clock.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Annotated, Final

from protocol.codes import EntryType, EventType, Flags, MessageType
from protocol.constants import PACKET_OUT_MAGIC, VERSION
from protocol.frames import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, UDP_HEADER_BYTES, EthernetHeader, Ipv4Header, UdpHeader
from protocol.layout import U8, U16, U32, U48, U64, Bits, Header, Ipv4, Shown, layout_of


@dataclass(frozen=True, slots=True)
class TransmissionId(Header):
    """The name of one subflow of one transmission; part of other headers."""

    content_id: Annotated[int, Bits(64, Shown.HEXADECIMAL)]
    destination_id: U32
    subflow: U32 = 0

    @staticmethod
    def new(destination_id: int = 0, subflow: int = 0) -> TransmissionId:
        """A transmission with a random 64-bit content id, so that nobody forges its messages by guessing."""
        return TransmissionId(secrets.randbits(64), destination_id, subflow)


@dataclass(frozen=True, slots=True)
class MessageHeader(Header):
    """Every message, as a negotiation message reads it; protocol/wire.py says what values are allowed.

    An adjustment message has its speed in `max_kbps`, and 0 in the fields behind it.
    """

    type: Annotated[MessageType, Bits(16)]
    version: U8 = field(default=VERSION, kw_only=True)
    flags: Annotated[Flags, Bits(8)] = field(default=Flags.NONE, kw_only=True)
    id: TransmissionId
    max_kbps: U32
    min_kbps: U32
    rtt_us: U32


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Header):
    """A packet-in: the pipeline's report to the controller; the frame that caused it follows.

    Rates and sums are those after the event; `previous_rate_kbps` 0 means there was no record. `rate_kbps` is the rate that
    the record reserves, `share_kbps` (B_c) the rate that the port offered it or reduced it to. `transmission_share_kbps` is the port's
    offer to all subflows of the transmission together (ADMITTED and REFUSED, else 0): the lists that are due after ADMITTED go by it.
    The counts are of transmissions, not of subflows. After REFUSED and REMOVED the rate is 0. `slot` is NO_SLOT where no record is
    concerned. `expected_arrivals_q8` is Q_T with 8 fraction bits, 0 but for ADMITTED and REFUSED. `last_seen_us` is when the record was
    last seen alive.
    """

    event: Annotated[EventType, Bits(8)]
    verdict: U8
    data_port: U16
    rate_kbps: U32
    previous_rate_kbps: U32
    share_kbps: U32 = 0
    transmission_share_kbps: U32 = 0
    port_sum_kbps: U64
    port_count: U32
    bottleneck_sum_kbps: U64
    bottleneck_count: U32
    expected_arrivals_q8: U32
    slot: U32
    is_bottleneck: Annotated[bool, Bits(8)]
    reserved: U8 = 0
    id: TransmissionId
    sender_ip: Ipv4
    receiver_ip: Ipv4
    last_seen_us: U48


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketOutHeader(Header):
    """In front of a packet-out's entries."""

    magic: Annotated[int, Bits(48, Shown.HEXADECIMAL)] = PACKET_OUT_MAGIC
    count: U8
    reserved: U8 = 0


@dataclass(frozen=True, slots=True)
class Entry(Header):
    """One thing that a packet-out asks the pipeline to do about one record; EntryType says what `value` is."""

    type: Annotated[EntryType, Bits(16)]
    reserved: U16 = field(default=0, kw_only=True)
    data_port: U16
    id: TransmissionId = TransmissionId(0, 0, 0)
    sender_ip: Ipv4 = 0
    receiver_ip: Ipv4 = 0
    value: U32 = 0


HEADERS: Final[dict[str, type[Header]]] = {
    "ethernet_t": EthernetHeader,
    "ipv4_t": Ipv4Header,
    "udp_t": UdpHeader,
    "nodectl_t": MessageHeader,
    "packet_out_t": PacketOutHeader,
    "entry_t": Entry,
    "packet_in_t": Event,
}
"""By the header's name in the P4 program."""

MESSAGE_BYTES: Final = layout_of(MessageHeader).size_bytes
UDP_LENGTH_BYTES: Final = UDP_HEADER_BYTES + MESSAGE_BYTES
IPV4_LENGTH_BYTES: Final = IPV4_HEADER_BYTES + UDP_LENGTH_BYTES
FRAME_BYTES: Final = ETHERNET_HEADER_BYTES + IPV4_LENGTH_BYTES
"""A message's frame, without FCS."""

EVENT_BYTES: Final = layout_of(Event).size_bytes
PACKET_OUT_HEADER_BYTES: Final = layout_of(PacketOutHeader).size_bytes
ENTRY_BYTES: Final = layout_of(Entry).size_bytes
