"""CoDel as RFC 8289, section 5 has it: a loop that takes packets out of a queue until one may be sent.

The P4 program (p4src/codel_decision.p4) sees one packet at a time instead.
The RFC leaves marks open; they are as in Linux (``codel_impl.h``).
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from protocol.model.verdict import Verdict

EXACT = 256
"""Numbers below have their exact square root."""


@dataclass(frozen=True)
class QueuedPacket:
    """A packet that waits.

    Args:
        enqueued_ns: when it came.
        size_bytes: of the frame.
        can_be_marked: its sender knows of ECN.
        flow: whose packet it is.
    """

    enqueued_ns: int
    size_bytes: int
    can_be_marked: bool = False
    flow: int = 0


@dataclass(frozen=True)
class Departure:
    """A packet that has left the queue.

    Args:
        packet: the one at the head of the queue.
        queue_bytes: of the packets behind it.
        bytes_left: of these, and elsewhere.
        verdict: its fate.
    """

    packet: QueuedPacket
    queue_bytes: int
    bytes_left: int
    verdict: Verdict


@dataclass
class Codel:
    """One queue and its state.

    Args:
        target_ns: a packet that waits less is not late.
        interval_ns: for so long, all packets have to wait longer before one is dropped.
        max_packet_bytes: a queue of no more is never too long.
        marks: packets of senders that know of ECN are marked instead of dropped.
        bytes_elsewhere: in other queues, if the queue is one of several that count as one.
    """

    target_ns: int
    interval_ns: int
    max_packet_bytes: int
    marks: bool = False
    bytes_elsewhere: int = 0
    waiting: deque[QueuedPacket] = field(default_factory=deque)
    waiting_bytes: int = 0
    first_above_time_ns: int = 0
    drop_next_ns: int = 0
    count: int = 0
    last_count: int = 0
    dropping: bool = False

    def enqueue(self, packet: QueuedPacket) -> None:
        """Add it at the tail."""
        self.waiting.append(packet)
        self.waiting_bytes += packet.size_bytes

    def dequeue(self, now_ns: int) -> list[Departure]:
        """Take packets out until one may be sent.

        Returns:
            Those that are dropped, then the one that is sent; empty if nothing waits.
        """
        gone: list[Departure] = []
        packet, is_late = self._take(now_ns)
        if self.dropping:
            if not is_late:
                self.dropping = False
            while packet is not None and self.dropping and now_ns >= self.drop_next_ns:
                self.count = min(self.count + 1, 2**16 - 1)
                if self._can_mark(packet):
                    self.drop_next_ns = self._control_law(self.drop_next_ns)
                    return [*gone, self._departure(packet, Verdict.MARKED)]
                gone.append(self._departure(packet, Verdict.DROPPED))
                packet, is_late = self._take(now_ns)
                if is_late:
                    self.drop_next_ns = self._control_law(self.drop_next_ns)
                else:
                    self.dropping = False
        elif packet is not None and is_late:
            verdict = Verdict.MARKED if self._can_mark(packet) else Verdict.DROPPED
            departure = self._departure(packet, verdict)
            self.dropping = True
            delta = self.count - self.last_count
            self.count = delta if delta > 1 and now_ns - self.drop_next_ns < 16 * self.interval_ns else 1
            self.last_count = self.count
            self.drop_next_ns = self._control_law(now_ns)
            if verdict is Verdict.MARKED:
                return [departure]
            gone.append(departure)
            packet, _ = self._take(now_ns)
        return gone if packet is None else [*gone, self._departure(packet, Verdict.SENT)]

    def _take(self, now_ns: int) -> tuple[QueuedPacket | None, bool]:
        """The RFC's ``dodequeue``: the next packet, and whether it may be dropped."""
        if not self.waiting:
            self.first_above_time_ns = 0
            return None, False
        packet = self.waiting.popleft()
        self.waiting_bytes -= packet.size_bytes
        if now_ns - packet.enqueued_ns < self.target_ns or self.bytes_left <= self.max_packet_bytes:
            self.first_above_time_ns = 0
            return packet, False
        if self.first_above_time_ns == 0:
            self.first_above_time_ns = now_ns + self.interval_ns
            return packet, False
        return packet, now_ns >= self.first_above_time_ns

    @property
    def bytes_left(self) -> int:
        """That wait, here and elsewhere."""
        return self.waiting_bytes + self.bytes_elsewhere

    def _can_mark(self, packet: QueuedPacket) -> bool:
        return self.marks and packet.can_be_marked

    def _departure(self, packet: QueuedPacket, verdict: Verdict) -> Departure:
        return Departure(packet, self.waiting_bytes, self.bytes_left, verdict)

    def _control_law(self, time_ns: int) -> int:
        return time_ns + (self.interval_ns * inverse_square_root(self.count) >> 16)


def inverse_square_root(number: int) -> int:
    """2^16 / sqrt(number), rounded down; of a number above 255, after its last bits are lost (p4src/inverse_square_root.p4)."""
    lost = 0
    while number >> lost >= EXACT:
        lost += 2
    return math.isqrt(2**32 // (number >> lost << lost))
