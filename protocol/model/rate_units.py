"""Units and limits of routers with rates, as p4src/rate_units.p4 has them; all numbers are whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

IDLE_US = 1_000_000
"""A port that was not used for longer forgets what it knew."""

MAX_WAIT_US = 2**24 - 1
MAX_RATE_KBPS = 2**32 - 1
BIT_PER_MS = 8000
"""A byte per µs in bit/ms."""

LEAST_PART = 10
"""A rate stays above the capacity / 2 ** 10."""

_CLOCK = 2**32


def passed_us(now_us: int, since_us: int) -> int:
    """Time by the switch's clock, which wraps."""
    return (now_us - since_us) % _CLOCK


def arrived_kbps(came_bytes: int, elapsed_us: int) -> int:
    """The rate of arrivals y, kbit/s."""
    return min(came_bytes * BIT_PER_MS // elapsed_us, MAX_RATE_KBPS)


def waiting_kbps(waited_us: int, capacity_kbps: int, rtt_us: int) -> int:
    """The queue in a round trip, q / d, kbit/s, by how long a packet has waited in it."""
    return min(min(waited_us, MAX_WAIT_US) * capacity_kbps // rtt_us, MAX_RATE_KBPS)


def least_kbps(capacity_kbps: int) -> int:
    """The rate below which none is."""
    return (capacity_kbps >> LEAST_PART) + 1


def smoothed_q3(rtt_q3: int, said_us: int) -> int:
    """The mean RTT in 1/8 µs with one more; 0: there was none."""
    return rtt_q3 - (rtt_q3 >> 3) + said_us if rtt_q3 else said_us << 3


@dataclass
class CountingPort(ABC):
    """A port that counts the bytes that come to its queue.

    Args:
        capacity_kbps: of its link, C.
        begin_us: arrival of the packet with which the present interval began.
        begin_bytes: bytes that had come by then.
    """

    capacity_kbps: int
    begin_us: int = 0
    begin_bytes: int = 0
    arrived_bytes: int = 0

    def arrive(self, size_bytes: int) -> int:
        """A packet comes to the queue; returns all bytes that have come so far, which ``leave`` is to be told."""
        self.arrived_bytes += size_bytes
        return self.arrived_bytes

    @abstractmethod
    def leave(self, arrived_us: int, arrived_bytes: int, waited_us: int) -> object:
        """The packet leaves the queue: it came at ``arrived_us``, and waited so long. :meth:`arrive` gave ``arrived_bytes``."""
