"""A scenario's network as it is drawn: nodes with their places, links with the ports that model them, ways of the transmissions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from engine.execute.bring_up import labels_of
from reports.pictures.places import places
from scenario.scenario import Scenario
from scenario.transmissions import Transmission
from topo.layout import plan_network
from topo.routes import way_between
from view.recording.link_names import link_name, link_names


@dataclass(frozen=True)
class Node:
    """A switch or a host; ``x`` and ``y`` are its place, y upwards."""

    name: str
    is_switch: bool
    x: float
    y: float


@dataclass(frozen=True)
class Direction:
    """One direction of a link.

    Args:
        name: view/recording/link_names.py has it.
        start, end: the nodes.
        rate_mbps: at the Ethernet frame.
        queue_packets: the most that its queue holds; None: it is limited in bytes alone.
    """

    name: str
    start: str
    end: str
    rate_mbps: float
    delay_ms: float
    queue_packets: int | None
    queue_bytes: int | None


@dataclass(frozen=True)
class PlannedTransmission:
    """One of the scenario; ``ways`` are the directions that it crosses, one way a subflow."""

    planned: Transmission
    ways: tuple[tuple[str, ...], ...]

    @property
    def name(self) -> str:
        """Of the transmission."""
        return self.planned.name


class NetworkView:
    """Built from a scenario.

    Args:
        scenario: of one cell.
        planned: whether its transmissions are carried out; else it is a prompt, where anyone may send to anyone.
    """

    def __init__(self, scenario: Scenario, *, planned: bool = True) -> None:
        plan = plan_network(scenario)
        self.duration_s = scenario.run.duration_s
        self.events = [(event.at_s, str(event)) for event in scenario.events]
        place = places(scenario.layout)
        self.nodes = [Node(name, name in plan.switches, *place[name]) for name in place]
        self.directions: list[Direction] = []
        self.by_port = link_names(plan)
        for here, there in plan.directions():
            link = plan.direction(here, there)
            start, end = (one if one in plan.switches else plan.hosts[one].node for one in (here, there))
            name = link_name(here, there)
            self.directions.append(Direction(name, start, end, link.rate_bps / 1e6, link.delay_ms, link.queue_packets, link.queue_bytes))
        self.addresses: Mapping[str, str] = {host.ip: host.name for host in plan.hosts.values()}
        self.labels = labels_of([scenario], plan)
        """The controller's names for the transmissions of a pair of hosts, by ``SENDER_IP>RECEIVER_IP``; others are ``h1→h4``."""
        self._plan = plan
        self.transmissions = [
            PlannedTransmission(
                one,
                tuple(self.way(interface.name, one.receiver) for interface in plan.interfaces(one.sender)[: None if one.multipath else 1]),
            )
            for one in (scenario.all_transmissions if planned else [])
        ]

    def recorded_as(self) -> dict[str, list[str]]:
        """The transmissions that a record of the controller's stands for, by the record's name."""
        ips = {name: ip for ip, name in self.addresses.items()}
        found: dict[str, list[str]] = {}
        for one in self.transmissions:
            sender, receiver = one.planned.sender, one.planned.receiver
            label = self.labels.get(f"{ips[sender]}>{ips[receiver]}") or f"{sender}→{receiver}"
            found.setdefault(label, []).append(one.name)
        return found

    def way(self, sender: str, receiver: str) -> tuple[str, ...]:
        """The directions that packets from an interface to a host cross."""
        return tuple(link_name(here, there) for here, there in pairwise(way_between(self._plan, sender, receiver)))
