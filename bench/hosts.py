"""Two hosts at the ends of the interfaces: network namespaces, whose frames are complete when they leave."""

from __future__ import annotations

import ctypes
import fcntl
import ipaddress
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .generator import DESTINATION_IP, SOURCE_IP
from .interfaces import Interfaces
from .switch_under_test import NEXT_MAC

PREFIX_LENGTH = 8
SIOCETHTOOL = 0x8946
ETHTOOL_STXCSUM = 0x17
OFF = 0


class Hosts(NamedTuple):
    """Names of network namespaces."""

    sender: str
    receiver: str


@contextmanager
def hosts(between: Interfaces) -> Iterator[Hosts]:
    """The outer ends become interfaces of hosts with :data:`SOURCE_IP` and :data:`DESTINATION_IP`, and end with the block."""
    names = Hosts(f"{between.outside_in}h", f"{between.outside_out}h")
    pairs = (
        (names.sender, between.outside_in, SOURCE_IP, DESTINATION_IP),
        (names.receiver, between.outside_out, DESTINATION_IP, SOURCE_IP),
    )
    mac = ":".join(f"{byte:02x}" for byte in NEXT_MAC.to_bytes(6, "big"))
    try:
        for name, interface, own, other in pairs:
            _complete_frames(interface)
            _ip("netns", "add", name)
            _ip("link", "set", interface, "netns", name)
            # A switch writes the address of the next host into every frame: both have the same.
            _ip("-netns", name, "link", "set", interface, "address", mac, "up")
            _ip("-netns", name, "address", "add", f"{ipaddress.ip_address(own)}/{PREFIX_LENGTH}", "dev", interface)
            _ip("-netns", name, "neighbour", "add", str(ipaddress.ip_address(other)), "lladdr", mac, "dev", interface)
        yield names
    finally:
        for name in names:
            if Path("/run/netns", name).exists():
                _ip("netns", "del", name)


def _complete_frames(interface: str) -> None:
    """Checksums and segments are made by the kernel, not left to hardware that is not there (``ethtool -K INTERFACE tx off``)."""
    value = ctypes.create_string_buffer(struct.pack("II", ETHTOOL_STXCSUM, OFF))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as anyone:
        fcntl.ioctl(anyone, SIOCETHTOOL, struct.pack("16sP16x", interface.encode(), ctypes.addressof(value)))


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
