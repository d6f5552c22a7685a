"""A wide-area network: a switch at each place of a map, hosts behind it, links as long as the way between the places."""

from __future__ import annotations

from math import asin, cos, radians, sin, sqrt
from typing import Literal

from pydantic import Field, model_validator

from scenario.base import Name, Strict
from scenario.links import Link
from scenario.topologies.kind import HostLink, Layout, TopologyKind, Trunk, refuse_apart

EARTH_KM = 6371.0
"""The mean radius."""

KM_PER_MS = 200.0
"""Light in glass: two thirds of its speed in a vacuum."""


class Place(Strict):
    """A place of a map."""

    label: str | None = None
    """The whole name, for people."""
    latitude: float | None = Field(default=None, ge=-90, le=90, examples=[50.1])
    """North of the equator, in degrees; left out, nobody knows where it is."""
    longitude: float | None = Field(default=None, ge=-180, le=180, examples=[8.7])
    """East of Greenwich, in degrees."""


class NetworkMap(Strict):
    """Places and the links between them. In a file, the path of a map will do (scenario/network_maps.py)."""

    places: dict[Name, Place] = Field(min_length=1, max_length=400, examples=[{"Berlin": {"latitude": 52.5}, "Bonn": {}}])
    """Each place, which is a switch's name."""
    links: list[tuple[Name, Name]] = Field(default=[], examples=[[["Berlin", "Bonn"]]])
    """Pairs of places."""


class WideArea(TopologyKind):
    """A switch at each place of a map, hosts h1… behind them. A link's delay is ``trunk``'s and that of light in glass between its places.

    A place whose coordinates nobody knows adds nothing. Packets take the shortest way, in links, the same both ways.
    """

    kind: Literal["wide_area"]
    map: NetworkMap = Field(examples=[{"places": {"Berlin": {}, "Bonn": {}}, "links": [["Berlin", "Bonn"]]}])
    """The network's map: the path of a file of the Topology Zoo (.graphml) or of NetworkX (.json), or places and links."""
    hosts_per_place: int = Field(default=1, ge=1, le=64)
    """Hosts behind each switch."""
    trunk: Link
    """The links between switches, without the delay that comes of their length."""

    @property
    def hosts(self) -> list[str]:
        """All hosts, those of a place one after the other."""
        return [f"h{number}" for number in range(1, len(self.map.places) * self.hosts_per_place + 1)]

    def layout(self) -> Layout:
        """Switches in the map's order."""
        places = list(self.map.places)
        return Layout(
            switches=places,
            hosts=[
                HostLink(host, places[position // self.hosts_per_place], self.access_link(host)) for position, host in enumerate(self.hosts)
            ],
            trunks=[Trunk(first, second, self._link(first, second)) for first, second in self.map.links],
        )

    def _link(self, first: str, second: str) -> Link:
        km = distance_km(self.map.places[first], self.map.places[second])
        return self.trunk.but({"delay_ms": self.trunk.delay_ms + km / KM_PER_MS}) if km else self.trunk

    @model_validator(mode="after")
    def _is_connected(self) -> WideArea:
        for link in self.map.links:
            for end in link:
                if end not in self.map.places:
                    raise ValueError(f"map: link {link[0]}-{link[1]}: there is no place {end!r}")
        refuse_apart(self.map.places, self.map.links)
        return self


def distance_km(first: Place, second: Place) -> float:
    """The way between two places over the earth's surface, km (great circle, haversine formula); 0 if nobody knows where one of them is."""
    if None in (first.latitude, first.longitude, second.latitude, second.longitude):
        return 0.0
    north, other_north = radians(first.latitude or 0), radians(second.latitude or 0)
    east = radians((second.longitude or 0) - (first.longitude or 0))
    half = sin((other_north - north) / 2) ** 2 + cos(north) * cos(other_north) * sin(east / 2) ** 2
    return 2 * EARTH_KM * asin(sqrt(half))
