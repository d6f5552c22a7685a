"""``send.py OWN OTHER ...`` on a host: sends well-formed, odd and broken frames to the addresses of other hosts, and says how many."""

from __future__ import annotations

import socket
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

MARK = b"NDCT"
GAP_S = 0.002
IPV4, ARP_TABLE = 0x0800, "/proc/net/arp"
ICMP, TCP, UDP, GRE = 1, 6, 17, 47
SYN, ACK = 2, 16


def checksum(data: bytes) -> int:
    """Of an IPv4 header."""
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def ipv4(own: str, other: str, protocol: int, body: bytes, *, ttl: int = 64, options: bytes = b"", wrong: int = 0, tos: int = 0) -> bytes:
    """A packet; ``wrong`` is what its checksum is off by."""
    words, size = 5 + len(options) // 4, 20 + len(options) + len(body)
    addresses = socket.inet_aton(own), socket.inet_aton(other)
    header = struct.pack(">BBHHHBBH4s4s", 0x40 + words, tos, size, 7, 0, ttl, protocol, 0, *addresses) + options
    return header[:10] + struct.pack(">H", checksum(header) ^ wrong) + header[12:] + body


def udp(size: int, source: int = 4000) -> bytes:
    """So many bytes of payload."""
    return struct.pack(">HHHH", source, 4001, 8 + size, 0) + (MARK * 400)[:size]


def tcp(port: int, flags: int) -> bytes:
    """A segment of no connection."""
    return struct.pack(">HHIIBBHHH", 4000, port, 1, 0, 0x50, flags, 1000, 0, 0) + MARK * 2


def frames(own: str, other: str, ends: bytes) -> Iterator[bytes]:
    """Everything that one host gets; ``ends``: both MAC addresses."""

    def frame(kind: int, body: bytes) -> bytes:
        return ends + struct.pack(">H", kind) + body

    for size in (8, 18, 100, 1000, 1472):
        yield frame(IPV4, ipv4(own, other, UDP, udp(size)))
    for ttl in (0, 1, 2, 255):
        yield frame(IPV4, ipv4(own, other, UDP, udp(40), ttl=ttl))
    for tos in (1, 3, 0xB8):
        yield frame(IPV4, ipv4(own, other, UDP, udp(40), tos=tos))
    for source in range(4000, 4012):
        yield frame(IPV4, ipv4(own, other, UDP, udp(40, source)))
    for port in (80, 85, 90, 443):
        for flags in (SYN, SYN | ACK, ACK):
            yield frame(IPV4, ipv4(own, other, TCP, tcp(port, flags)))
    yield frame(IPV4, ipv4(own, other, UDP, udp(40), options=b"\1\1\1\0"))
    yield frame(IPV4, ipv4(own, other, UDP, udp(40), wrong=0x55))
    yield frame(IPV4, ipv4(own, other, GRE, MARK * 8))
    yield frame(IPV4, ipv4(own, other, ICMP, b"\x08\0\0\0\0\1\0\1" + MARK * 2))
    yield frame(IPV4, ipv4(own, other, UDP, udp(40))[:10])
    yield frame(0x1234, MARK * 9)
    yield frame(0x9999, b"")
    yield frame(0x9999, b"\1")
    yield frame(0x86DD, b"\x60\0\0\0\0\x10\x11\x40" + b"\xfd" + bytes(15) + b"\xfd" + b"\1" * 15 + udp(8))
    yield frame(0x8100, b"\0\7\x08\0" + ipv4(own, other, UDP, udp(40)))
    yield b"\xff" * 6 + ends[6:] + b"\x99\x99" + MARK * 8


def main(own: str, *others: str) -> None:
    """Send all of them."""
    (name,) = [one.name for one in Path("/sys/class/net").iterdir() if one.name == "eth0" or one.name.endswith("-eth0")]
    own_mac = bytes.fromhex(Path(f"/sys/class/net/{name}/address").read_text().strip().replace(":", ""))
    neighbours = {line.split()[0]: bytes.fromhex(line.split()[3].replace(":", "")) for line in Path(ARP_TABLE).read_text().splitlines()[1:]}
    sent = 0
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as wire:
        wire.bind((name, 0))
        for other in others:
            mac = neighbours.get(other) or next(iter(neighbours.values()), b"\xff" * 6)  # behind a router: the gateway's
            for frame in frames(own, other, mac + own_mac):
                wire.send(frame)
                sent += 1
                time.sleep(GAP_S)
    print("sent", sent)


main(*sys.argv[1:])
