"""Which way packets go: the shortest one, unless the scenario names another; in a network of layers, one of all the shortest.

Switches forward by destination address. A transmission and the answers to it must pass the same switches (Nodectl's
negotiation counts on it), so the shortest ways have to be the same in both directions. Every link has a length of its own,
a little over one, such that no two sets of links are equally long: then there is exactly one shortest way between two switches,
in both directions. The numbers of the switches decide between ways of equally many links.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from common.errors import UserError
from topo.equal_cost_ways import equally_short

if TYPE_CHECKING:
    from topo.network_plan import NetworkPlan, PortPlan


def ways_to(plan: NetworkPlan, host: str, switch: str, port: PortPlan) -> dict[str, tuple[PortPlan, ...]]:
    """For every switch, the ports of all ways that packets to ``host`` may take, which is behind ``port`` of ``switch``.

    Raises:
        UserError: see :func:`hops_to`.
    """
    single = hops_to(plan, host, switch, port)
    found: dict[str, tuple[PortPlan, ...]] = {name: (hop,) for name, hop in single.items()}
    if not plan.layers:
        return found
    numbers, names = _numbered(plan)
    for number, ways in equally_short(_trunks(plan, numbers), numbers[switch]).items():
        if names[number] in plan.layers:
            found[names[number]] = tuple(plan.switches[names[number]].port_to(names[way]) for way in ways)
    return found


def hops_to(plan: NetworkPlan, host: str, switch: str, port: PortPlan) -> dict[str, PortPlan]:
    """For every switch, the port towards ``host``, which is behind ``port`` of ``switch``, as the shortest way or a named route has it.

    Raises:
        UserError: the routes of the plan contradict each other, or packets would go in a circle.
    """
    hops = _shortest(plan, switch) | {switch: port}
    named: dict[str, str] = {}
    for route in plan.routes:
        for way in (route, route[::-1]):
            if way[-1] != host:
                continue
            for here, after in pairwise(way[1:]):
                if named.setdefault(here, after) != after:
                    raise UserError(
                        f"route {' '.join(route)}: at {here}, packets for {host} already go to {named[here]}",
                        "switches forward by destination: all routes to or from one host must form a tree",
                    )
                hops[here] = plan.switches[here].port_to(after)
    for start in hops:
        _check_arrives(host, start, hops)
    return hops


def way_between(plan: NetworkPlan, sender: str, receiver: str) -> list[str]:
    """The nodes that packets from one host to another pass, both ends included."""
    ways = plan.ways_to(receiver)
    way = [sender, plan.attachment(sender)[0].name]
    while way[-1] != receiver:
        ports = ways[way[-1]]
        way.append(ports[0 if len(ports) == 1 else plan.way_number(way[-1], sender, receiver, len(ports))].peer)
    return way


def check_symmetric(plan: NetworkPlan, sender: str, receiver: str) -> None:
    """A transmission's packets and their answers pass the same switches.

    Raises:
        UserError: they do not.
    """
    there, back = way_between(plan, sender, receiver), way_between(plan, receiver, sender)
    if there != back[::-1]:
        raise UserError(
            f"from {sender} to {receiver} packets go {' '.join(there)}, but back {' '.join(back)}",
            "another route shares a switch with this one: write out this one in the scenario's routes as well",
        )


def _shortest(plan: NetworkPlan, target: str) -> dict[str, PortPlan]:
    numbers, names = _numbered(plan)
    neighbours = _neighbours_towards(_trunks(plan, numbers), numbers[target])
    return {names[here]: plan.switches[names[here]].port_to(names[there]) for here, there in neighbours.items()}


def _numbered(plan: NetworkPlan) -> tuple[dict[str, int], dict[int, str]]:
    """The switches' numbers by their names, and the other way round."""
    return {name: switch.number for name, switch in plan.switches.items()}, {switch.number: name for name, switch in plan.switches.items()}


def _trunks(plan: NetworkPlan, numbers: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
    """Pairs of switches' numbers, the lower one first, in order."""
    return tuple(
        sorted(
            {
                (min(number, numbers[port.peer]), max(number, numbers[port.peer]))
                for name, number in numbers.items()
                for port in plan.switches[name].ports
                if port.peer_port is not None
            }
        )
    )


@lru_cache(maxsize=4096)
def _neighbours_towards(trunks: tuple[tuple[int, int], ...], target: int) -> Mapping[int, int]:
    """For every switch from which there is a way, the next one towards ``target``.

    A paper's cells differ in rates and starts, but few in how switches are joined: it is computed once for all of them.

    Args:
        trunks: pairs of switches' numbers, the lower one first, in order.
        target: the number of the switch.
    """
    # One and a part that only this link has: sums of different links are never equal, and fewer links are always shorter.
    length = {trunk: (1 << len(trunks) + 1) + (1 << position) for position, trunk in enumerate(trunks)}
    joined: dict[int, list[tuple[int, int]]] = {}
    for (low, high), distance in length.items():
        joined.setdefault(low, []).append((high, distance))
        joined.setdefault(high, []).append((low, distance))
    found: dict[int, int] = {}
    done: set[int] = set()
    waiting = [(0, target, target)]
    while waiting:
        distance, here, towards = heapq.heappop(waiting)
        if here in done:
            continue
        done.add(here)
        if here != target:
            found[here] = towards
        for neighbour, further in joined.get(here, []):
            if neighbour not in done:
                heapq.heappush(waiting, (distance + further, neighbour, here))
    return MappingProxyType(found)


def _check_arrives(host: str, start: str, hops: dict[str, PortPlan]) -> None:
    here, passed = start, {start}
    while hops[here].peer_port is not None:
        here = hops[here].peer
        if here in passed:
            raise UserError(f"packets for {host} would go in a circle at {here}", "give the scenario a route that avoids it")
        passed.add(here)
