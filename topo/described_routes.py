"""The routes of a plan as the controller is told them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from ipaddress import IPv4Network

from scenario.network_description import RouteDescription, SpreadDescription, WayDescription
from topo.equal_cost_ways import shift_of
from topo.network_plan import NetworkPlan, PortPlan, SwitchPlan

EVERYWHERE = IPv4Network("0.0.0.0/0")

Ways = tuple[PortPlan, ...]


class DescribedRoutes:
    """The routes of every switch.

    Args:
        plan: the network.

    Raises:
        UserError: its routes contradict each other.
    """

    def __init__(self, plan: NetworkPlan) -> None:
        self._plan = plan
        self._seed = plan.seed_of_ways
        self._ways = {host: plan.ways_to(host) for host in plan.hosts}

    def single(self, switch: SwitchPlan) -> list[RouteDescription]:
        """A switch's routes to hosts that one way leads to."""
        return [
            RouteDescription(prefix=self._prefix(host), **self._way(switch, ways[0]).model_dump())
            for host, ways in self._towards(switch).items()
            if len(ways) == 1
        ]

    def spread(self, switch: SwitchPlan) -> list[SpreadDescription]:
        """A switch's routes with several ways. Those that most hosts have are the default route, which spares a route for each host."""
        several = {host: ways for host, ways in self._towards(switch).items() if len(ways) > 1}
        if not several:
            return []
        ((usual, _),) = Counter(several.values()).most_common(1)
        prefixes = {EVERYWHERE: usual} | {self._prefix(host): ways for host, ways in several.items() if ways != usual}
        shift = shift_of(self._plan.layers[switch.name])
        return [
            SpreadDescription(prefix=prefix, seed=self._seed, shift=shift, ways=[self._way(switch, port) for port in ways])
            for prefix, ways in prefixes.items()
        ]

    def _towards(self, switch: SwitchPlan) -> Mapping[str, Ways]:
        return {host: ways[switch.name] for host, ways in self._ways.items() if switch.name in ways}

    def _prefix(self, host: str) -> IPv4Network:
        return IPv4Network(self._plan.hosts[host].ip)

    def _way(self, switch: SwitchPlan, port: PortPlan) -> WayDescription:
        to_host = port.peer_port is None
        next_mac = self._plan.hosts[port.peer].mac if to_host else self._plan.switches[port.peer].port_mac(port.peer_port or 0)
        return WayDescription(port=port.number, source_mac=switch.port_mac(port.number), destination_mac=next_mac)
