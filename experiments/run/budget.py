"""How long measuring cells will take, before it begins: from what such cells took, and how many packets their scenarios are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from experiments.run.cell import Cell
from experiments.run.cost import fitted_cost
from experiments.run.ideal import ideal
from experiments.run.progress import expected_s
from experiments.run.record import CellRecord
from protocol.frames import FULL_PACKET_HEADERS_BYTES
from protocol.units import BITS_PER_BYTE
from scenario.scenario import Scenario
from topo.layout import plan_network
from topo.routes import way_between

QUICK_LOOK_S = 12 * 60.0
"""What a quick look at a paper may take on two processors."""


@dataclass(frozen=True)
class Budget:
    """What is to come.

    Args:
        cells: how many.
        seconds: of real time, all processors together, if they have nothing else to do.
        longest_s: of one cell.
        side_by_side: how many cells at once.
        known: from how many measured cells this was taken; 0: from the usual cost.
    """

    cells: int
    seconds: float
    longest_s: float
    side_by_side: int
    known: int

    @property
    def expected_s(self) -> float:
        """Until all are measured."""
        return max(self.seconds / self.side_by_side, self.longest_s)

    def __str__(self) -> str:
        source = f"from what {self.known} cells took" if self.known else "by the usual cost of cells and packets"
        side = f", {self.side_by_side} side by side" if self.side_by_side > 1 else ""
        return f"{self.cells} cells to measure{side}: about {duration_text(self.expected_s)} ({source}; more if the processors are busy)"


def virtual_budget(cells: Sequence[Cell], kept: Iterable[CellRecord], side_by_side: int) -> Budget:
    """The budget of cells in virtual time.

    A cell whose point and scheme was measured, in any repetition, is expected to take as long again; the others follow from their
    packets (:func:`experiments.run.cost.fitted_cost`).

    Args:
        cells: to measure.
        kept: records of cells that were measured.
        side_by_side: how many at once.
    """
    records = [record for record in kept if record.cost]
    took: dict[str, list[float]] = {}
    for record in records:
        if record.cost:
            took.setdefault(_kind(record.experiment, record.parameters, record.scheme), []).append(record.cost.processor_s)
    model = fitted_cost(records)
    packets: dict[str, float] = {}
    expected = []
    for cell in cells:
        kind = _kind(cell.experiment, cell.parameters, cell.scheme)
        if kind in took:
            expected.append(median(took[kind]))
            continue
        point = f"{cell.experiment} {cell.point}"
        if point not in packets:
            packets[point] = packets_on_links(cell.scenario)
        expected.append(model.seconds(packets[point]))
    return Budget(len(cells), sum(expected), max(expected, default=0.0), side_by_side, model.cells)


def real_budget(cells: Sequence[Cell]) -> Budget:
    """The budget of cells in real time, one after the other."""
    expected = [expected_s(cell) for cell in cells]
    return Budget(len(cells), sum(expected), 0.0, 1, 0)


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


def duration_text(seconds: float) -> str:
    """``40 s``, ``12 min``, ``2.5 h``."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _kind(experiment: str, parameters: Mapping[str, object], scheme: str) -> str:
    return f"{experiment} {sorted(parameters.items())} {scheme}"
