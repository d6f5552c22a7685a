"""How long transmissions of a given size took, beside what they would take on an empty network."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from common.units import BITS_PER_BYTE, US_PER_S
from engine.metrics.allocation import MESSAGES
from protocol.frames import payload_share
from topo.layout import plan_network
from topo.routes import way_between

if TYPE_CHECKING:
    from engine.collect.run_data import RunData
    from scenario.scenario import Scenario

PERCENT = 100


@dataclass(frozen=True)
class Completion:
    """One transmission.

    Attributes:
        start_s: when it was to start, seconds after the run's start.
        took_s: from then until its last byte was read; if not all was read, until its stop or the run's end: it takes longer than that.
        ideal_s: its time alone: a round trip, and its payload at its greatest rate or that of the path's slowest link, whichever is lower.
        messages: number of those that its sender sent and got, without terminates.
    """

    name: str
    size_bytes: int
    start_s: float
    took_s: float
    ideal_s: float
    is_complete: bool
    messages: int

    @property
    def slowdown(self) -> float:
        """How many times as long as alone."""
        return self.took_s / self.ideal_s


def completions(run: RunData) -> list[Completion]:
    """All transmissions of a given size that were to start in the measuring window, over one path, in the order of the run."""
    window = run.scenario.run
    ideal = IdealTimes(run.scenario)
    found = []
    for data in run.transmissions.values():
        one = data.transmission
        if one.size_bytes is None or one.multipath or not window.measure_from_s <= one.start_s < window.measured_to_s:
            continue
        is_complete = data.is_complete and data.last_data_s is not None
        end_s = data.last_data_s - run.start_s if is_complete and data.last_data_s is not None else one.stop_s or window.duration_s
        messages = sum(data.summary["messages"].get(kind, 0) for kind in MESSAGES)
        ideal_s = ideal.of(one.sender, one.receiver, one.size_bytes, run.scenario.max_rate_bps(one))
        found.append(Completion(one.name, one.size_bytes, one.start_s, end_s - one.start_s, ideal_s, is_complete, messages))
    return found


class IdealTimes:
    """Times that transmissions take alone on a scenario's network as its file describes it; events and traces change nothing here."""

    def __init__(self, scenario: Scenario) -> None:
        self._plan = plan_network(scenario)
        self._payload_share = payload_share(scenario.packet_bytes)
        self._paths: dict[tuple[str, str], tuple[float, float]] = {}

    def of(self, sender: str, receiver: str, size_bytes: int, max_rate_bps: float) -> float:
        """Seconds: a round trip, and the payload at the path's rate or ``max_rate_bps`` (bit/s of the frame), whichever is lower."""
        if (sender, receiver) not in self._paths:
            self._paths[sender, receiver] = self._path(sender, receiver)
        round_trip_s, rate_bps = self._paths[sender, receiver]
        return round_trip_s + size_bytes * BITS_PER_BYTE / (min(rate_bps, max_rate_bps) * self._payload_share)

    def _path(self, sender: str, receiver: str) -> tuple[float, float]:
        way = way_between(self._plan, sender, receiver)
        there = [self._plan.direction(*step) for step in pairwise(way)]
        back = [self._plan.direction(*step) for step in pairwise(way[::-1])]
        return sum(link.delay_us for link in [*there, *back]) / US_PER_S, min(link.rate_bps for link in there)


def offered_load_percent(run: RunData) -> float | None:
    """Load of the links that a workload is to load, percent: payload of transmissions that start in the measuring window, over capacity.

    The capacity is that of the part of the window in which they arrive: after its last transmission a workload loads nothing. With
    heavy-tailed sizes, a sample's mean is seldom the distribution's: this is the real load. None: no workload is given by its load, or
    none arrives in the window.
    """
    if not (links := run.scenario.loaded_links):
        return None
    passed = links_passed(run.scenario)
    sizes = (one.size_bytes for one in run.completions if not passed[one.name].isdisjoint(links))
    plan = plan_network(run.scenario)
    carries_bps = sum(plan.direction(*link).rate_bps for link in links) * payload_share(run.scenario.packet_bytes)
    from_s, to_s = run.scenario.loading_s
    window_s = min(to_s, run.scenario.run.measured_to_s) - max(from_s, run.scenario.run.measure_from_s)
    return PERCENT * sum(sizes) * BITS_PER_BYTE / (carries_bps * window_s) if window_s > 0 else None


def links_passed(scenario: Scenario) -> dict[str, set[tuple[str, str]]]:
    """The directions of links that each transmission passes."""
    plan = plan_network(scenario)
    ways: dict[tuple[str, str], set[tuple[str, str]]] = {}
    found = {}
    for one in scenario.all_transmissions:
        pair = one.sender, one.receiver
        if pair not in ways:
            ways[pair] = set(pairwise(way_between(plan, *pair)))
        found[one.name] = ways[pair]
    return found
