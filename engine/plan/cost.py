"""The cost of measuring a cell in virtual time: processor seconds for each cell, and processor seconds for the packets on its links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import linear_regression, median

from engine.collect.record import CellRecord

MILLION = 1e6
FEW = 5
"""Fewer cells than this are not enough for a line through them."""


@dataclass(frozen=True)
class CostModel:
    """Processor seconds of a cell: a part that does not depend on what is sent, and one that grows with it.

    Args:
        cell_s: boot, bringing the network up, samples.
        million_s: for a million packets, each counted on every link.
        cells: from how many measured ones it was taken; 0: from none.
        is_line: whether it is a line through them.
    """

    cell_s: float
    million_s: float
    cells: int = 0
    is_line: bool = False

    def seconds(self, packets: float) -> float:
        """Of a cell whose links carry so many packets."""
        return self.cell_s + self.million_s * packets / MILLION


USUAL = CostModel(2.0, 4.8)
"""Where nothing has been measured yet: the line through the cells that engine/plan/cell_work.py was fitted to."""


def fitted_cost(records: Iterable[CellRecord]) -> CostModel:
    """The line through measured cells (least squares); through too few, or those that fit none, the usual one as steep as they say."""
    points = _points(records)
    if len(points) >= FEW and len({packets for packets, _ in points}) > 1:
        slope, intercept = linear_regression(*zip(*points, strict=True))
        if slope > 0 and intercept > 0:
            return CostModel(intercept, slope, len(points), is_line=True)
    factor = _factor(points)
    return CostModel(factor * USUAL.cell_s, factor * USUAL.million_s, len(points))


def machine_factor(records: Iterable[CellRecord]) -> tuple[float, int]:
    """The median of measured cells' costs over the usual cost of their packets, 1 if there are no cells; and the number of cells."""
    points = _points(records)
    return _factor(points), len(points)


def _points(records: Iterable[CellRecord]) -> list[tuple[float, float]]:
    return [(one.verdict.packets / MILLION, one.cost.processor_s) for one in records if one.cost and one.verdict]


def _factor(points: Sequence[tuple[float, float]]) -> float:
    return median(took_s / USUAL.seconds(millions * MILLION) for millions, took_s in points) if points else 1.0
