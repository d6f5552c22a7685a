"""Where the nodes of a network are drawn."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from scenario.topologies import Layout

HOST_DISTANCE = 0.62
HOST_ANGLE = math.radians(34)
"""The angle between neighbouring hosts of a switch, as seen from it, where there is room."""
ROUNDS = 200
"""Rounds of stress majorisation; the picture stands still long before."""

TURN_DEGREES = 5

Place = tuple[float, float]


def places(layout: Layout) -> dict[str, Place]:
    """Places of all nodes, y upwards; a link between switches is about 1 long.

    The distances of switches in the picture come as near as possible to the numbers of links between them (stress majorisation, Gansner,
    Koren, North 2004, from classical scaling, Torgerson 1952). So a chain is a line, a ring a circle and a mesh a grid. Hosts fan out from
    their switch, away from the other switches; one with several switches is beside them.
    """
    names = layout.switches
    found = dict(zip(names, _switch_places([(one.first, one.second) for one in layout.trunks], names), strict=True))
    neighbours: dict[str, list[str]] = defaultdict(list)
    for trunk in layout.trunks:
        neighbours[trunk.first].append(trunk.second)
        neighbours[trunk.second].append(trunk.first)
    attached: dict[str, list[str]] = defaultdict(list)
    for one in (*layout.hosts, *layout.interfaces):
        attached[one.host].append(one.switch)
    hosts: dict[str, list[str]] = defaultdict(list)
    for host, switches in attached.items():
        if len(set(switches)) == 1:
            hosts[switches[0]].append(host)
    placed: dict[str, Place] = {name: (float(x), float(y)) for name, (x, y) in found.items()}
    for switch, of_switch in hosts.items():
        angles = [_angle(placed[switch], placed[other]) for other in dict.fromkeys(neighbours[switch]) if other != switch]
        middle, room = _widest_gap(angles)
        step = min(HOST_ANGLE, room * 0.8 / max(1, len(of_switch)))
        # From top to bottom on the left side too.
        turn = -1 if math.cos(middle) >= 0 else 1
        x, y = placed[switch]
        far = max(HOST_DISTANCE, 0.24 / max(step, 1e-3))
        for number, host in enumerate(of_switch):
            angle = middle + turn * step * (number - (len(of_switch) - 1) / 2)
            placed[host] = (x + far * math.cos(angle), y + far * math.sin(angle))
    for host, switches in attached.items():
        if len(set(switches)) > 1:
            placed[host] = _between([placed[name] for name in dict.fromkeys(switches)], list(placed.values()))
    return placed


def _between(switches: list[Place], others: list[Place]) -> Place:
    """A host of several switches: beside the middle of the first and the last, where there is more room; so its links lie on no other."""
    (x1, y1), (x2, y2) = switches[0], switches[-1]
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    across = ((y1 - y2) / length * HOST_DISTANCE, (x2 - x1) / length * HOST_DISTANCE)
    sides = [((x1 + x2) / 2 + sign * across[0], (y1 + y2) / 2 + sign * across[1]) for sign in (1, -1)]
    return max(sides, key=lambda place: round(min(math.dist(place, other) for other in others), 6))


def _angle(here: Place, there: Place) -> float:
    return math.atan2(there[1] - here[1], there[0] - here[0])


def _widest_gap(angles: list[float]) -> tuple[float, float]:
    """The middle of the widest angle without a link, and how wide it is; to the left where there is no link."""
    if not angles:
        return math.pi, 2 * math.pi
    ordered = sorted(angles)
    gaps = [(after - before, before) for before, after in zip(ordered, [*ordered[1:], ordered[0] + 2 * math.pi], strict=True)]
    # Takes always the same one of equal gaps, whatever the last digits are.
    width, begin = max(gaps, key=lambda gap: (round(gap[0], 6), -round(gap[1], 6)))
    middle = begin + width / 2
    return math.atan2(math.sin(middle), math.cos(middle)), width


def _switch_places(links: list[tuple[str, str]], names: list[str]) -> NDArray[np.float64]:
    count = len(names)
    if count < 2:
        return np.zeros((count, 2))
    distance = _hops(links, names)
    squared = distance**2
    centring = np.eye(count) - np.full((count, count), 1 / count)
    values, vectors = np.linalg.eigh(-0.5 * centring @ squared @ centring)
    place = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 1e-9))
    weight = np.where(distance > 0, 1.0 / np.maximum(distance, 1e-9) ** 2, 0.0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    inverse = np.linalg.pinv(laplacian)
    for _ in range(ROUNDS):
        apart = np.linalg.norm(place[:, None, :] - place[None, :, :], axis=2)
        ratio = np.where(apart > 1e-9, weight * distance / np.maximum(apart, 1e-9), 0.0)
        pull = -ratio
        np.fill_diagonal(pull, ratio.sum(axis=1))
        place = inverse @ pull @ place
    place = _turned(place)
    # It may be mirrored too: the first switch is on the left, and above.
    for axis, sign in ((0, 1.0), (1, -1.0)):
        if place[0, axis] * sign > 0:
            place[:, axis] *= -1
    return np.asarray(np.round(place, 4), dtype=float)


def _turned(place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turned such that its frame is as small as it can be, and not higher than wide."""
    best, least = place, np.inf
    for degrees in range(0, 180, TURN_DEGREES):
        angle = math.radians(degrees)
        turned = place @ np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        width, height = np.ptp(turned, axis=0)
        area = (width + 1.0) * (height + 1.0)  # a line has a frame too
        if height <= width + 1e-6 and area < least - 1e-6:
            best, least = turned, area
    return best


def _hops(links: list[tuple[str, str]], names: list[str]) -> NDArray[np.float64]:
    """Numbers of links between switches (Floyd 1962); the number of switches, where no way joins two."""
    index = {name: number for number, name in enumerate(names)}
    distance = np.full((len(names), len(names)), float(len(names)))
    np.fill_diagonal(distance, 0.0)
    for first, second in links:
        distance[index[first], index[second]] = distance[index[second], index[first]] = 1.0
    for middle in range(len(names)):
        distance = np.minimum(distance, distance[:, middle : middle + 1] + distance[middle : middle + 1, :])
    return distance
