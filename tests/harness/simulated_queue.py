"""A port's queues in front of one transmitter, for tests: packets from a seed come, wait, and leave in some order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hypothesis import strategies as st

FULL_BYTES = 1500


@dataclass(frozen=True)
class Traffic:
    """Packets for a link: from a seed, so that a failure is short to tell.

    Args:
        seed: of all that is drawn.
        packets: how many.
        load: of the link's rate that comes on average, in each of some parts of the time.
        packet_us: a full packet takes so long to be sent.
        ecn: of a packet, one of these ECN fields.
        pause_us: for so long, nothing comes after each part.
    """

    seed: int
    packets: int
    load: tuple[float, ...]
    packet_us: int
    ecn: tuple[int, ...] = (0,)
    pause_us: int = 0


TRAFFIC = st.builds(
    Traffic,
    seed=st.integers(0, 2**32),
    packets=st.integers(200, 1000),
    load=st.lists(st.sampled_from((0.5, 0.9, 1.1, 1.5, 3.0)), min_size=1, max_size=6).map(tuple),
    packet_us=st.sampled_from((120, 1200, 4000)),
    ecn=st.sampled_from(((0,), (0, 2), (0, 1, 2, 3), (1, 0), (1,))),
    pause_us=st.sampled_from((0, 30_000, 600_000, 2_000_000)),
)


@dataclass(frozen=True)
class SimulatedPacket:
    """One packet."""

    number: int
    came_us: int
    size_bytes: int
    ecn: int


@dataclass(frozen=True)
class Leaving:
    """A packet leaves its queue.

    Args:
        packet: which.
        now_us: when.
        queue_packets, queue_bytes: left in its queue.
        port_bytes: left in all of them.
    """

    packet: SimulatedPacket
    now_us: int
    queue_packets: int
    queue_bytes: int
    port_bytes: int


def packets_of(traffic: Traffic) -> Iterator[SimulatedPacket]:
    """Its packets, in the order in which they come."""
    draw = random.Random(traffic.seed)
    now_us = 1000
    part = -1
    for number in range(traffic.packets):
        size = draw.choice((FULL_BYTES, FULL_BYTES, FULL_BYTES, 66, 600))
        before, part = part, number * len(traffic.load) // traffic.packets
        now_us += round(draw.expovariate(traffic.load[part]) * traffic.packet_us * size / FULL_BYTES)
        now_us += traffic.pause_us if part != before else 0
        yield SimulatedPacket(number, now_us, size, draw.choice(traffic.ecn))


def run_queues(
    traffic: Traffic, arrive: Callable[[SimulatedPacket], int | None], leave: Callable[[Leaving], bool], queues: int = 1
) -> None:
    """Let packets go through queues; which queue is next is drawn.

    Args:
        traffic: whose packets.
        arrive: is told of each packet that comes; the queue that takes it, None if it is dropped.
        leave: is told of each packet that leaves; whether it is sent.
        queues: how many there are.
    """
    draw = random.Random(~traffic.seed)
    coming = list(packets_of(traffic))
    waiting: list[list[SimulatedPacket]] = [[] for _ in range(queues)]
    free_us = 0
    while coming or any(waiting):
        if not any(waiting):
            free_us = max(free_us, coming[0].came_us)
        while coming and coming[0].came_us <= free_us:
            packet = coming.pop(0)
            if (queue := arrive(packet)) is not None:
                waiting[queue].append(packet)
        if not any(waiting):
            continue
        queue = draw.choice([number for number, packets in enumerate(waiting) if packets])
        packet = waiting[queue].pop(0)
        left = [sum(one.size_bytes for one in packets) for packets in waiting]
        if leave(Leaving(packet, free_us, len(waiting[queue]), left[queue], sum(left))):
            free_us += max(1, traffic.packet_us * packet.size_bytes // FULL_BYTES)
