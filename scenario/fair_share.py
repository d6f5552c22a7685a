"""Max-min fair shares of a network: what an ideal allocation gives to transmissions that all want as much as they can get."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

L = TypeVar("L", bound=Hashable)


def max_min_shares(ways: Mapping[str, Sequence[L]], capacities: Mapping[L, float]) -> dict[str, float]:
    """The share of each transmission, in the unit of the capacities.

    All rates grow together; when a link is full, those that cross it stop growing (progressive filling).

    Args:
        ways: the links each transmission crosses, at least one.
        capacities: what each link carries.
    """
    shares: dict[str, float] = {}
    left = dict(capacities)
    growing = {name: set(way) for name, way in ways.items()}
    while growing:
        users = {link: [name for name, way in growing.items() if link in way] for link in left}
        level, full = min(((left[link] / len(names), link) for link, names in users.items() if names), key=lambda pair: pair[0])
        for name in users[full]:
            shares[name] = level
            for link in growing.pop(name):
                left[link] -= level
    return shares
