"""FQ-CoDel (RFC 8290): a flow's queue, and CoDel in each. The P4 program is p4src/fq_codel_queue.p4."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field

from protocol.model.codel_model import Codel, Departure, QueuedPacket

_MASK = (1 << 32) - 1


def queue_of_flow(source: int, destination: int, ports: int, protocol: int, seed: int, queues: int) -> int:
    """The number of a flow's queue.

    Args:
        source, destination: IPv4 addresses as numbers.
        ports: source port times 2^16, plus destination port; 0 if its packets have none.
        protocol: of the IPv4 header.
        seed: odd.
        queues: how many there are.
    """
    products = ((value * seed) & _MASK for value in (source, destination, ports))
    return zlib.crc32(struct.pack("!IIIB", *products, protocol)) % queues


@dataclass
class FqCodel:
    """Queues that each have CoDel; which one is next is not decided here.

    Args:
        target_ns, interval_ns, max_packet_bytes, marks: of each one's CoDel.
    """

    target_ns: int
    interval_ns: int
    max_packet_bytes: int
    marks: bool = False
    queues: dict[int, Codel] = field(default_factory=dict)

    def enqueue(self, queue: int, packet: QueuedPacket) -> None:
        """Add it at the tail of a queue."""
        new = Codel(self.target_ns, self.interval_ns, self.max_packet_bytes, self.marks)
        self.queues.setdefault(queue, new).enqueue(packet)

    def dequeue(self, queue: int, now_ns: int) -> list[Departure]:
        """Take packets out of a queue until one may be sent, see :meth:`Codel.dequeue`.

        A packet with few behind it is never dropped. As in Linux, those in all queues count.
        """
        chosen = self.queues[queue]
        chosen.bytes_elsewhere = sum(one.waiting_bytes for number, one in self.queues.items() if number != queue)
        return chosen.dequeue(now_ns)

    @property
    def backlogged(self) -> list[int]:
        """Queues in which packets wait, in order."""
        return sorted(number for number, queue in self.queues.items() if queue.waiting)
