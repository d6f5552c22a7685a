"""Messages of rtnetlink (linux/rtnetlink.h), by which a network namespace gets its addresses, routes and neighbours without a program."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

HEADER = struct.Struct("=IHHII")
"""A struct nlmsghdr: length, kind, flags, number, and the sender's."""
ATTRIBUTE = struct.Struct("=HH")
"""A struct rtattr: length with this head, and kind."""
LARGEST_ANSWER = 65536
MESSAGES_AT_ONCE = 500
"""As many fit into what a socket may have under way."""

NLMSG_ERROR = 2
RTM_NEWLINK, RTM_GETLINK, RTM_NEWADDR, RTM_NEWROUTE, RTM_NEWNEIGH, RTM_NEWRULE = 16, 18, 20, 24, 28, 32
REQUEST, ACKNOWLEDGE, REPLACE, EXCLUSIVE, DUMP, CREATE = 0x1, 0x4, 0x100, 0x200, 0x300, 0x400
IFF_UP = 1
NO_PREFIX_ROUTE = 0x200
TABLE_MAIN = 254
PROTOCOL_KERNEL, PROTOCOL_BOOT = 2, 3
SCOPE_UNIVERSE, SCOPE_LINK = 0, 253
UNICAST = 1
ONLINK = 4
INITIAL_WINDOW, QUICK_ACK = 11, 15
PERMANENT = 0x80
TO_TABLE = 1


@dataclass(frozen=True)
class Setting:
    """One message.

    Attributes:
        words: its meaning for people, to be joined.
        kind: ``RTM_NEWLINK`` and so on.
        flags: of the header, besides those of any request.
        body: all after the header.
    """

    words: tuple[object, ...]
    kind: int
    flags: int
    body: bytes


class RefusedError(Exception):
    """The kernel refuses a setting; the text has its words and the kernel's."""


def link(index: int, *, mac: str | None = None, mtu_bytes: int | None = None, is_up: bool = False) -> Setting:
    """An interface's own settings; those left out stay."""
    up = IFF_UP if is_up else 0
    body = struct.pack("=BxHiII", socket.AF_UNSPEC, 0, index, up, up)
    body += b"" if mac is None else _attribute(1, _mac(mac))
    body += b"" if mtu_bytes is None else _attribute(4, struct.pack("=I", mtu_bytes))
    return Setting(("link", index, *(("address", mac) if mac else ()), *(("mtu", mtu_bytes) if mtu_bytes else ())), RTM_NEWLINK, 0, body)


def address(index: int, of: IPv4Interface, *, has_prefix_route: bool = True) -> Setting:
    """An interface's address. With a prefix route, the kernel knows the way to its network by itself."""
    body = struct.pack("=BBBBI", socket.AF_INET, of.network.prefixlen, 0, SCOPE_UNIVERSE, index)
    body += _attribute(2, of.ip.packed) + _attribute(1, of.ip.packed) + _attribute(4, of.network.broadcast_address.packed)
    body += b"" if has_prefix_route else _attribute(8, struct.pack("=I", NO_PREFIX_ROUTE))
    return Setting(("address", of), RTM_NEWADDR, CREATE | REPLACE, body)


def route(
    index: int,
    to: IPv4Network,
    source: IPv4Address,
    *,
    gateway: IPv4Address | None,
    initial_window_packets: int,
    quick_ack: bool,
    table: int = TABLE_MAIN,
) -> Setting:
    """The way to a network, by an interface or its gateway.

    Args:
        index: the interface's.
        to: the network.
        source: the sender's address.
        gateway: reached over the interface, whatever its network.
        initial_window_packets: of connections.
        quick_ack: connections never delay acknowledgements.
        table: the routes' table.
    """
    protocol, scope, flags = (PROTOCOL_KERNEL, SCOPE_LINK, 0) if gateway is None else (PROTOCOL_BOOT, SCOPE_UNIVERSE, ONLINK)
    body = struct.pack("=BBBBBBBBI", socket.AF_INET, to.prefixlen, 0, 0, table, protocol, scope, UNICAST, flags)
    metrics = _attribute(INITIAL_WINDOW, struct.pack("=I", initial_window_packets))
    metrics += _attribute(QUICK_ACK, struct.pack("=I", 1)) if quick_ack else b""
    body += _attribute(1, to.network_address.packed) + _attribute(4, struct.pack("=i", index)) + _attribute(7, source.packed)
    body += (b"" if gateway is None else _attribute(5, gateway.packed)) + _attribute(8, metrics)
    return Setting(("route", to, "table", table), RTM_NEWROUTE, CREATE | REPLACE, body)


def neighbour(index: int, of: IPv4Address, mac: str) -> Setting:
    """A neighbour's address on the link, for good."""
    body = struct.pack("=BxxxiHBB", socket.AF_INET, index, PERMANENT, 0, 0) + _attribute(1, of.packed) + _attribute(2, _mac(mac))
    return Setting(("neighbour", of, "at", mac), RTM_NEWNEIGH, CREATE | REPLACE, body)


def rule(source: IPv4Address, table: int) -> Setting:
    """Packets from an address take the ways of a table."""
    body = struct.pack("=BBBBBBBBI", socket.AF_INET, 0, source.max_prefixlen, 0, table, 0, 0, TO_TABLE, 0) + _attribute(2, source.packed)
    return Setting(("rule from", source, "lookup", table), RTM_NEWRULE, CREATE | EXCLUSIVE, body)


def carry_out(settings: Sequence[Setting]) -> None:
    """Give all settings to this thread's network namespace, in order.

    Raises:
        RefusedError: the first one that the kernel refuses.
    """
    messages = [
        HEADER.pack(HEADER.size + len(one.body), one.kind, one.flags | REQUEST | (ACKNOWLEDGE if one is settings[-1] else 0), number, 0)
        + one.body
        for number, one in enumerate(settings)
    ]
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        for begin in range(0, len(messages), MESSAGES_AT_ONCE):
            kernel.send(b"".join(messages[begin : begin + MESSAGES_AT_ONCE]))
        while True:
            for kind, number, body in answers(kernel.recv(LARGEST_ANSWER)):
                error = -int.from_bytes(body[:4], "little", signed=True)
                if kind == NLMSG_ERROR and error:
                    raise RefusedError(f"{' '.join(map(str, settings[number].words))}: {os.strerror(error)}")
                if number == len(settings) - 1:
                    return


def answers(said: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Kind, number and body of each message that the kernel has sent."""
    begin = 0
    while begin + HEADER.size <= len(said):
        length, kind, _, number, _ = HEADER.unpack_from(said, begin)
        yield kind, number, said[begin + HEADER.size : begin + length]
        begin += max(_aligned(length), HEADER.size)


def attributes(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and value of each attribute."""
    begin = 0
    while begin + ATTRIBUTE.size <= len(body):
        length, kind = ATTRIBUTE.unpack_from(body, begin)
        yield kind, body[begin + ATTRIBUTE.size : begin + length]
        begin += max(_aligned(length), ATTRIBUTE.size)


def _attribute(kind: int, value: bytes) -> bytes:
    length = ATTRIBUTE.size + len(value)
    return ATTRIBUTE.pack(length, kind) + value.ljust(_aligned(len(value)), b"\0")


def _aligned(length: int) -> int:
    return -(-length // 4) * 4


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))
