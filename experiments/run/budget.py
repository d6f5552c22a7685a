"""How long measuring cells will take, before it begins: from what such cells took, and how many packets their scenarios are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from experiments.run.cell import Cell
from experiments.run.cost import CostModel, fitted_cost
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
        expected: real seconds of each cell, if the processors have nothing else to do.
        side_by_side: how many cells at once.
        source: what the seconds are taken from.
    """

    expected: Sequence[float]
    side_by_side: int
    source: str

    @property
    def expected_s(self) -> float:
        """Until all are measured."""
        return max(sum(self.expected) / self.side_by_side, max(self.expected, default=0.0))

    def __str__(self) -> str:
        side = f", {self.side_by_side} side by side" if self.side_by_side > 1 else ""
        about = f"about {duration_text(self.expected_s)}"
        return f"{len(self.expected)} cells to measure{side}: {about} ({self.source}; more if the processors are busy)"


@dataclass(frozen=True)
class Work:
    """Cells to measure, and what has been measured of the same experiments in the same size."""

    cells: Sequence[Cell]
    kept: Sequence[CellRecord] = ()


def virtual_budget(works: Sequence[Work], side_by_side: int, others: Iterable[CellRecord] = ()) -> Budget:
    """The budget of cells in virtual time.

    A cell whose point and scheme was measured, in any repetition, is expected to take as long again; the others follow from their
    packets (:func:`experiments.run.cost.fitted_cost`).

    Args:
        works: what there is to measure.
        side_by_side: how many at once.
        others: measured cells of anything else, to tell what a packet costs where nothing is known of the same experiments.
    """
    model = fitted_cost(record for work in works for record in work.kept)
    model = model if model.cells else fitted_cost(others)
    expected = [seconds for work in works for seconds in _expected(work, model)]
    source = f"from what {model.cells} cells took" if model.cells else "by the usual cost of cells and packets"
    return Budget(expected, side_by_side, source)


def real_budget(cells: Sequence[Cell]) -> Budget:
    """The budget of cells in real time, one after the other."""
    return Budget([expected_s(cell) for cell in cells], 1, "by how long their scenarios are")


def _expected(work: Work, model: CostModel) -> Iterator[float]:
    took: dict[str, list[float]] = {}
    for record in work.kept:
        if record.cost and record.is_result:
            took.setdefault(_kind(record.experiment, record.parameters, record.scheme), []).append(record.cost.processor_s)
    packets: dict[str, float] = {}
    for cell in work.cells:
        known = took.get(_kind(cell.experiment, cell.parameters, cell.scheme))
        point = _kind(cell.experiment, cell.parameters, "")
        if known is None and point not in packets:
            packets[point] = packets_on_links(cell.scenario)
        yield median(known) if known else model.seconds(packets[point])


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
