"""Hosts for tests with a real switch: TAP devices in a namespace of their own, driven frame by frame by the test."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from protocol.wire import FRAME_BYTES, MESSAGE_BYTES, UDP_PORT, Adjustment, Flags, Message, MessageError, MessageType, Negotiation, decode
from tests.harness.waiting import wait_for

CLONE_NEWNET = 0x40000000
ETH_P_ALL = 3
SO_RCVBUFFORCE = 33
SIOCGIFFLAGS = 0x8913
IFF_RUNNING = 0x40
RECEIVE_BUFFER_BYTES = 16_000_000
"""A thousand reduces come at once."""
SWITCH_MAC = "02:00:00:00:00:fe"

IPV6 = Path("/proc/sys/net/ipv6")


def skip_without_namespaces() -> None:
    """Skips the test, saying so, where namespaces or TAP devices cannot be made."""
    if os.geteuid() != 0:
        pytest.skip("not root: the controller with a real switch is NOT tested")
    if not Path("/dev/net/tun").exists():
        pytest.skip("no /dev/net/tun: the controller with a real switch is NOT tested")


def _carries(connection: socket.socket, device: str) -> bool:
    answer = fcntl.ioctl(connection, SIOCGIFFLAGS, struct.pack("16sH14x", device.encode(), 0))
    return bool(struct.unpack_from("16xH", answer)[0] & IFF_RUNNING)


class TapHost:
    """One host behind one TAP device. It sends Nodectl messages and keeps those it receives; as a receiver it grants requests."""

    def __init__(self, namespace: Path, device: str, answers: bool) -> None:
        self.received: list[Message] = []
        self.latest_s = 0.0
        """When the latest message came, CLOCK_MONOTONIC."""
        self.acknowledges = not answers
        self._answers = answers
        self._socket = _packet_socket(namespace, device)
        # Frames that are sent before the interface carries are lost.
        wait_for(f"{device} to carry", lambda: _carries(self._socket, device))
        self._socket.settimeout(0.1)
        self._closing = False
        self._thread = threading.Thread(target=self._receive, daemon=True)
        self._thread.start()

    def send(self, message: Message, source: str, destination: str) -> None:
        frame = Ether(src="02:00:00:00:00:01", dst=SWITCH_MAC) / IP(src=source, dst=destination) / UDP(sport=UDP_PORT, dport=UDP_PORT)
        self._socket.send(bytes(frame / Raw(message.encode())))

    def close(self) -> None:
        self._closing = True
        self._thread.join()
        self._socket.close()

    def _receive(self) -> None:
        while not self._closing:
            try:
                frame, address = self._socket.recvfrom(2048)
            except TimeoutError:
                continue
            if address[2] == socket.PACKET_OUTGOING or len(frame) < FRAME_BYTES:
                continue
            try:
                message = decode(frame[FRAME_BYTES - MESSAGE_BYTES : FRAME_BYTES])
            except MessageError:
                continue
            self.latest_s = time.monotonic()
            self.received.append(message)
            source, destination = socket.inet_ntoa(frame[30:34]), socket.inet_ntoa(frame[26:30])
            if self._answers and isinstance(message, Negotiation) and message.type == MessageType.REQUEST:
                answer = Negotiation(
                    MessageType.SUCCESS, message.id, message.max_kbps, message.min_kbps, message.rtt_us, flags=message.flags
                )
                self.send(answer, source, destination)
            elif self.acknowledges and isinstance(message, Adjustment) and message.type == MessageType.REDUCE:
                refresh = Negotiation(MessageType.REQUEST, message.id, message.speed_kbps, 0, 20_000, flags=Flags.REFRESH)
                self.send(refresh, source, destination)


@contextmanager
def tap_namespace(*devices: str) -> Iterator[Path]:
    """A namespace with these TAP devices up; gone afterwards."""
    name = f"nctltest{os.getpid()}"
    _ip("netns", "add", name)
    try:
        for device in devices:
            _ip("-n", name, "tuntap", "add", "dev", device, "mode", "tap")
            if IPV6.exists():
                _ip("netns", "exec", name, "sysctl", "-qw", f"net.ipv6.conf.{device}.disable_ipv6=1")
            _ip("-n", name, "link", "set", device, "up")
        yield Path("/run/netns") / name
    finally:
        _ip("netns", "del", name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def _packet_socket(namespace: Path, device: str) -> socket.socket:
    """A raw socket on a device of the namespace. A thread of its own enters it, so that this process stays where it is."""
    opened: list[socket.socket] = []

    def enter_and_open() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        with namespace.open("rb") as file:
            if libc.setns(file.fileno(), CLONE_NEWNET) != 0:
                return
        raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        raw.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES)
        raw.bind((device, ETH_P_ALL))
        opened.append(raw)

    thread = threading.Thread(target=enter_and_open)
    thread.start()
    thread.join()
    if not opened:
        raise OSError(f"no socket on {device} in {namespace}")
    return opened[0]
