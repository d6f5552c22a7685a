"""Headers in front of a message or of data, and their sizes. Linux and Scapy read and write them; this module says how long they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from protocol.layout import U8, U16, Bits, Header, Ipv4, MacAddress, layout_of


@dataclass(frozen=True, slots=True)
class EthernetHeader(Header):
    """Ethernet, without VLAN tag."""

    destination: MacAddress
    source: MacAddress
    ether_type: U16


@dataclass(frozen=True, slots=True)
class Ipv4Header(Header):
    """IPv4 without options (RFC 791)."""

    version: Annotated[int, Bits(4)]
    header_length: Annotated[int, Bits(4)]
    dscp_ecn: U8
    total_length: U16
    identification: U16
    reserved: Annotated[int, Bits(1)]
    do_not_fragment: Annotated[int, Bits(1)]
    more_fragments: Annotated[int, Bits(1)]
    fragment_offset: Annotated[int, Bits(13)]
    ttl: U8
    protocol: U8
    checksum: U16
    source: Ipv4
    destination: Ipv4


@dataclass(frozen=True, slots=True)
class UdpHeader(Header):
    """UDP (RFC 768)."""

    source_port: U16
    destination_port: U16
    length: U16
    checksum: U16


ETHERTYPE_IPV4: Final = 0x0800
PROTOCOL_UDP: Final = 17
PROTOCOL_TCP: Final = 6

ETHERNET_HEADER_BYTES: Final = layout_of(EthernetHeader).size_bytes
"""Without FCS, as rates are counted."""
IPV4_HEADER_BYTES: Final = layout_of(Ipv4Header).size_bytes
UDP_HEADER_BYTES: Final = layout_of(UdpHeader).size_bytes
TCP_HEADER_BYTES: Final = 20
"""Without options (RFC 9293)."""
LONGEST_TCP_HEADER_BYTES: Final = 60
"""With all options that there is room for."""
TCP_SYN: Final = 0x02
"""One of a segment's flags."""
TCP_TIMESTAMPS_BYTES: Final = 12
"""The timestamps option (RFC 7323), which Linux puts into every segment, and its padding."""
FULL_PACKET_HEADERS_BYTES: Final = IPV4_HEADER_BYTES + TCP_HEADER_BYTES + TCP_TIMESTAMPS_BYTES
"""IPv4, TCP and its timestamps: the bytes of a full data packet besides its payload, at the IP layer."""


def payload_share(packet_bytes: int) -> float:
    """The TCP payload's part of a packet's bytes on the wire (Ethernet without FCS), for IP packets of this size."""
    return (packet_bytes - FULL_PACKET_HEADERS_BYTES) / (packet_bytes + ETHERNET_HEADER_BYTES)
