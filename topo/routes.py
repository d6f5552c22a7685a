"""Which way packets go: the shortest one, unless the scenario names another.

Switches forward by destination address. A transmission and the answers to it must pass the same switches (Nodectl's
negotiation counts on it), so the shortest ways have to be the same in both directions. Every link has a length of its own,
a little over one, such that no two sets of links are equally long: then there is exactly one shortest way between two switches,
in both directions. The numbers of the switches decide between ways of equally many links.
"""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import TYPE_CHECKING

from common.errors import UserError

if TYPE_CHECKING:
    from topo.network_plan import NetworkPlan, PortPlan


def hops_to(plan: NetworkPlan, host: str, switch: str, port: PortPlan) -> dict[str, PortPlan]:
    """For every switch, the port towards ``host``, which is behind ``port`` of ``switch``.

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
    hops = plan.next_hops(receiver)
    way = [sender, plan.attachment(sender)[0].name]
    while way[-1] != receiver:
        way.append(hops[way[-1]].peer)
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
    trunks = sorted(
        {
            (min(here.number, there), max(here.number, there)): None
            for here in plan.switches.values()
            for port in here.ports
            if port.peer_port is not None
            for there in [plan.switches[port.peer].number]
        }
    )
    # One and a part that only this link has: sums of different links are never equal, and fewer links are always shorter.
    length = {trunk: (1 << len(trunks) + 1) + (1 << position) for position, trunk in enumerate(trunks)}
    hops: dict[str, PortPlan] = {}
    done: set[str] = set()
    waiting: list[tuple[int, str, PortPlan | None]] = [(0, target, None)]
    while waiting:
        distance, here, port = heapq.heappop(waiting)
        if here in done:
            continue
        done.add(here)
        if port is not None:
            hops[here] = port
        number = plan.switches[here].number
        for neighbour in plan.switches.values():
            towards = next((port for port in neighbour.ports if port.peer == here and port.peer_port), None)
            if towards is not None and neighbour.name not in done:
                trunk = (min(number, neighbour.number), max(number, neighbour.number))
                heapq.heappush(waiting, (distance + length[trunk], neighbour.name, towards))
    return hops


def _check_arrives(host: str, start: str, hops: dict[str, PortPlan]) -> None:
    here, passed = start, {start}
    while hops[here].peer_port is not None:
        here = hops[here].peer
        if here in passed:
            raise UserError(f"packets for {host} would go in a circle at {here}", "give the scenario a route that avoids it")
        passed.add(here)
