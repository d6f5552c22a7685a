"""What a cell in virtual time has to do, and what that costs a processor that has nothing else to do.

The costs are least squares over 785 kept cells of six reports (docs/reproduction), rounded, each report with a factor of its own, since its
machine was busy with other things or not: half of the cells come within 17 %, nine of ten within a third.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from common.units import BITS_PER_BYTE
from engine.plan.cell import Cell
from engine.plan.estimate import ExpectedCost
from engine.plan.ideal import ideal
from hosts.cca.scheme_names import parse_scheme
from protocol.frames import FULL_PACKET_HEADERS_BYTES
from scenario.scenario import Scenario
from topo.layout import plan_network
from topo.routes import way_between

MILLION = 1e6
CELL_S = 1.5
"""Processor seconds of every cell: boot, controller, samples. The figures here are fitted to measured cells."""

HOST_S = 0.8
"""Processor seconds for bringing up a host, with its agent."""

MILLION_PACKETS_S = 7.0
"""Processor seconds for a million packets, each counted on every link."""

NEGOTIATED_S = 0.035
"""Processor seconds for a transmission that negotiates, with all that its switches and the controller do for it."""

PLAIN_S = 0.002
"""Processor seconds for a transmission that does not negotiate."""

SECOND_S = 0.15
"""Processor seconds for a second on the clock inside: ticks, samples, questions."""


@dataclass(frozen=True)
class CellWork:
    """What a cell has to do.

    Args:
        hosts: in its network.
        packets: of data and acknowledgements, each counted on every link.
        negotiated, plain: transmissions that negotiate, and others.
        duration_s: on the clock inside.
    """

    hosts: int
    packets: float
    negotiated: int
    plain: int
    duration_s: float

    @property
    def setup_s(self) -> float:
        """Processor seconds before the first transmission."""
        return CELL_S + HOST_S * self.hosts

    @property
    def seconds(self) -> float:
        """Processor seconds of the whole cell."""
        transmissions_s = NEGOTIATED_S * self.negotiated + PLAIN_S * self.plain
        return self.setup_s + MILLION_PACKETS_S * self.packets / MILLION + transmissions_s + SECOND_S * self.duration_s


class CellWorks:
    """The work of cells. What does not depend on the scheme is looked at once for all schemes of a point and repetition."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int, float]] = {}

    def of(self, cell: Cell) -> CellWork:
        """The work of one cell."""
        key = f"{cell.experiment} {cell.parameters} {cell.scenario.seed}"
        if key not in self._known:
            scenario = cell.scenario
            self._known[key] = (len(plan_network(scenario).hosts), len(scenario.all_transmissions), packets_on_links(scenario))
        hosts, transmissions, packets = self._known[key]
        negotiates = parse_scheme(cell.scheme).needs.negotiates
        return CellWork(hosts, packets, transmissions * negotiates, transmissions * (not negotiates), cell.scenario.run.duration_s)

    def expected_cost(self, cell: Cell) -> ExpectedCost:
        """Of one cell, as an estimate wants it."""
        work = self.of(cell)
        return ExpectedCost(kind_of(cell.experiment, cell.parameters, cell.scheme), work.seconds, work.setup_s, work.duration_s)


def kind_of(experiment: str, parameters: Mapping[str, object], scheme: str) -> str:
    """Equal for repetitions of one point and scheme."""
    return f"{experiment} {sorted(parameters.items())} {scheme}"


def packets_on_links(scenario: Scenario) -> float:
    """How many packets all links would carry if everybody had the max-min fair share: data, and an ACK for every other packet."""
    model, plan = ideal(scenario), plan_network(scenario)
    payload_bits = (scenario.packet_bytes - FULL_PACKET_HEADERS_BYTES) * BITS_PER_BYTE
    acks = 1.0 if scenario.quick_ack else 0.5
    found = 0.0
    for t in scenario.all_transmissions:
        links = len(list(pairwise(way_between(plan, t.sender, t.receiver))))
        bits = model.mean_bps(t.name, 0.0, scenario.run.duration_s) * scenario.run.duration_s
        found += bits / payload_bits * (1 + acks) * links
    return found
