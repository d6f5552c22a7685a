"""The work of a cell in virtual time, and its cost on a processor that has nothing else to do.

The costs are least squares over 590 cells of twenty experiments, rounded; each experiment counts alike. Half of the cells come within
9 %, nine of ten within 21 %.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from common.units import BITS_PER_BYTE, MS_PER_S
from engine.plan.cell import Cell
from engine.plan.estimate import ExpectedCost
from engine.plan.ideal import has_ideal, ideal
from hosts.cca.scheme_names import parse_scheme
from protocol.frames import FULL_PACKET_HEADERS_BYTES
from scenario.scenario import Scenario
from topo.layout import plan_network
from topo.routes import way_between

MILLION = 1e6
CELL_S = 1.4
"""Processor seconds of every cell: boot, controller, samples. The figures here are fitted to measured cells."""

HOST_S = 0.12
"""Processor seconds for bringing up a host, with its agent."""

PROGRAMS_S = 1.1
"""Processor seconds of a cell with programs of its own."""

HOST_SERVICE_S = 1.5
"""Processor seconds of a cell whose programs get a negotiated rate."""

MILLION_PACKETS_S = 1.3
"""Processor seconds for a million packets, each counted on every link."""

NEGOTIATED_S = 0.022
"""Processor seconds for a transmission that negotiates, with all that its switches and the controller do for it."""

PLAIN_S = 0.002_7
"""Processor seconds for a transmission that does not negotiate."""

SAMPLE_S = 0.000_049
"""Processor seconds for one look at a sender's connection."""

SECOND_S = 0.016_5
"""Processor seconds for any second on the clock inside: ticks, questions."""


@dataclass(frozen=True)
class CellWork:
    """The work of a cell.

    Args:
        hosts: in its network.
        packets: of data and acknowledgements, each counted on every link.
        negotiated, plain: transmissions that negotiate, and others.
        samples: of all transmissions together, looks at their connections.
        duration_s: on the clock inside.
        has_programs: it runs programs.
        negotiates: its scheme does.
    """

    hosts: int
    packets: float
    negotiated: int
    plain: int
    samples: float
    duration_s: float
    has_programs: bool = False
    negotiates: bool = False

    @property
    def setup_s(self) -> float:
        """Processor seconds before the first transmission."""
        programs_s = self.has_programs * (PROGRAMS_S + HOST_SERVICE_S * self.negotiates)
        return CELL_S + HOST_S * self.hosts + programs_s

    @property
    def seconds(self) -> float:
        """Processor seconds of the whole cell."""
        transmissions_s = NEGOTIATED_S * self.negotiated + PLAIN_S * self.plain
        seconds_s = SAMPLE_S * self.samples + SECOND_S * self.duration_s
        return self.setup_s + MILLION_PACKETS_S * self.packets / MILLION + transmissions_s + seconds_s


class CellWorks:
    """The work of cells. Parts that do not depend on the scheme are computed once a point: the draws of repetitions move them little."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int, float, float]] = {}
        self._negotiates = cache(lambda scheme: parse_scheme(scheme).needs.negotiates)

    def of(self, cell: Cell) -> CellWork:
        """The work of one cell."""
        key = f"{cell.experiment} {cell.parameters}"
        if key not in self._known:
            scenario = cell.scenario
            hosts, transmissions = len(plan_network(scenario).hosts), len(scenario.all_transmissions)
            self._known[key] = (hosts, transmissions, packets_on_links(scenario), sample_count(scenario))
        hosts, transmissions, packets, samples = self._known[key]
        negotiates = self._negotiates(cell.scheme)
        counts = (transmissions * negotiates, transmissions * (not negotiates))
        has_programs = bool(cell.scenario.programs)
        return CellWork(hosts, packets, *counts, samples, cell.scenario.run.duration_s, has_programs, negotiates)

    def expected_cost(self, cell: Cell) -> ExpectedCost:
        """Of one cell, as an estimate wants it."""
        work = self.of(cell)
        return ExpectedCost(kind_of(cell.experiment, cell.parameters, cell.scheme), work.seconds, work.setup_s, work.duration_s)


def kind_of(experiment: str, parameters: Mapping[str, object], scheme: str) -> str:
    """Equal for repetitions of one point and scheme."""
    return f"{experiment} {sorted(parameters.items())} {scheme}"


def sample_count(scenario: Scenario) -> float:
    """How often connections are looked at, if each transmission lasts until it is stopped."""
    sampled_s = sum((one.stop_s or scenario.run.duration_s) - one.start_s for one in scenario.all_transmissions if one.sampled)
    return sampled_s * MS_PER_S / scenario.run.sample_ms


def packets_on_links(scenario: Scenario) -> float:
    """How many packets all links would carry if everybody had the max-min fair share: data, and an ACK for every other packet.

    Of many transmissions, each is taken to send all it has, as fast as it can: to share links among them takes longer than to run them.
    """
    plan, transmissions, duration_s = plan_network(scenario), scenario.all_transmissions, scenario.run.duration_s
    model = ideal(scenario) if has_ideal(scenario) else None
    payload_bits = (scenario.packet_bytes - FULL_PACKET_HEADERS_BYTES) * BITS_PER_BYTE
    acks = 1.0 if scenario.quick_ack else 0.5
    found = 0.0
    for t in transmissions:
        links = len(list(pairwise(way_between(plan, t.sender, t.receiver))))
        if model is None:
            most_bits = scenario.max_rate_bps(t) * ((t.stop_s or duration_s) - t.start_s)
            bits = min(most_bits, (t.size_bytes or math.inf) * BITS_PER_BYTE)
        else:
            bits = model.mean_bps(t.name, 0.0, duration_s) * duration_s
        found += bits / payload_bits * (1 + acks) * links
    return found
