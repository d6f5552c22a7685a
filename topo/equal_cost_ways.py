"""Which of several equally short ways the packets of two hosts take: p4src/equal_cost_ways.p4, computed before a run.

Topologies whose switches are in layers have them (``Layout.layers``): at a switch of a layer, the next switches of all shortest ways share
what goes there. It is a matter of two hosts, so data, messages and answers pass the same switches.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Mapping
from functools import cache, lru_cache
from ipaddress import IPv4Address
from random import Random
from types import MappingProxyType

BITS_OF_LAYER = 8
"""The hash's bits that only the layers behind see."""

ALL_HASHES = 1 << 32


@cache
def seed_of_ways(seed: int) -> int:
    """The factor that the addresses are multiplied with, odd so that none is lost.

    Args:
        seed: the scenario's.
    """
    return Random(f"ways {seed}").getrandbits(32) | 1


def shift_of(layer: int) -> int:
    """How many of the hash's bits a layer leaves out; the layers are numbered from 0, beginning at the hosts."""
    return layer * BITS_OF_LAYER


def way_number(first: IPv4Address, second: IPv4Address, seed: int, shift: int, ways: int) -> int:
    """The number of the way, from 0.

    Args:
        first: one host's address.
        second: the other's; they may be exchanged.
        seed: of :func:`seed_of_ways`.
        shift: of :func:`shift_of`.
        ways: how many there are.
    """
    words = (int(address) * seed % ALL_HASHES for address in sorted((first, second)))
    return (zlib.crc32(b"".join(word.to_bytes(4) for word in words)) >> shift) % ways


@lru_cache(maxsize=4096)
def equally_short(trunks: tuple[tuple[int, int], ...], target: int) -> Mapping[int, tuple[int, ...]]:
    """For every switch from which there is a way, the next ones on all shortest ways towards ``target``, in order.

    Args:
        trunks: pairs of switches' numbers.
        target: the number of the switch.
    """
    joined: dict[int, list[int]] = {}
    for first, second in trunks:
        joined.setdefault(first, []).append(second)
        joined.setdefault(second, []).append(first)
    distance = {target: 0}
    waiting = deque([target])
    while waiting:
        here = waiting.popleft()
        for neighbour in joined.get(here, []):
            if neighbour not in distance:
                distance[neighbour] = distance[here] + 1
                waiting.append(neighbour)
    return MappingProxyType(
        {here: tuple(sorted(one for one in joined[here] if distance[one] < far)) for here, far in distance.items() if here != target}
    )
