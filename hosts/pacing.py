"""From an allocated rate to the kernel's pacing rate: headers off, bits to bytes.

Rates are negotiated at the Ethernet frame without FCS; ``SO_MAX_PACING_RATE`` counts TCP payload.
"""

from __future__ import annotations

import socket
import struct
from typing import Protocol

from common.units import BITS_PER_BYTE
from protocol.frames import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, TCP_HEADER_BYTES, TCP_TIMESTAMPS_BYTES

SO_MAX_PACING_RATE = 47
"""From asm-generic/socket.h; Python's socket module does not have it."""

PAUSED_BYTES_PER_S = 1000
"""Pacing while nothing may be sent: about one packet a second of the data in the send buffer. 0 would mean no pacing."""

_UNLIMITED = 2**64 - 1


class PacketSize(Protocol):
    """The size of a connection's full packets."""

    @property
    def snd_mss_bytes(self) -> int:
        """Payload, without TCP options."""

    @property
    def has_timestamps(self) -> bool:
        """Whether each packet has the TCP timestamp option."""


def frame_bytes(info: PacketSize) -> int:
    """Bytes on the wire (Ethernet without FCS) of a full packet of this connection, e.g. 1066 for an MSS of 1000 and
    timestamps. ``tcpi_snd_mss`` has the options taken off already."""
    options = TCP_TIMESTAMPS_BYTES if info.has_timestamps else 0
    return info.snd_mss_bytes + ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + TCP_HEADER_BYTES + options


def payload_bytes_per_s(rate_bps: int, info: PacketSize) -> int:
    """Payload in bytes/s that makes frames of ``rate_bps`` bit/s; rounded down, at least 1."""
    return max(1, rate_bps * info.snd_mss_bytes // (BITS_PER_BYTE * frame_bytes(info)))


def set_max_pacing_rate(connection: socket.socket, bytes_per_s: int | None) -> None:
    """Sets the socket's highest pacing rate in payload bytes/s; None takes the limit off."""
    value = _UNLIMITED if bytes_per_s is None else bytes_per_s
    connection.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, struct.pack("=Q", value))
