"""How long measuring cells will take, before it begins: from the times of such cells, and the number of packets in their scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median

from engine.collect.record import CellRecord
from engine.plan.cell import Cell
from engine.plan.cell_work import CellWorks, kind_of
from engine.plan.cost import machine_factor
from engine.plan.estimate import time_of_all

QUICK_LOOK_S = 12 * 60.0
"""The time that a quick look at a paper may take on two processors."""

SOME_KINDS = 50
"""This many kinds of cells tell how fast this machine is."""

OVERHEAD_S = 0.8
"""Of every cell, for the time left: setting links, starting, letting the queues run empty, reading samples."""


def expected_s(cell: Cell) -> float:
    """Seconds on the clock inside that a cell takes, at most."""
    return cell.scenario.run.duration_s + OVERHEAD_S


@dataclass(frozen=True)
class Budget:
    """The time that cells are expected to take.

    Args:
        expected: real seconds of each cell, if the processors have nothing else to do.
        side_by_side: how many cells at once.
        source: where the seconds are taken from, in words.
    """

    expected: Sequence[float]
    side_by_side: int
    source: str

    @property
    def expected_s(self) -> float:
        """Real seconds until all are measured, side by side."""
        return time_of_all(self.expected, self.side_by_side)

    def __str__(self) -> str:
        side = f", {self.side_by_side} side by side" if self.side_by_side > 1 else ""
        about = f"about {duration_text(self.expected_s)}"
        return f"{len(self.expected)} cells to measure{side}: {about} ({self.source}; more if the processors are busy)"


@dataclass(frozen=True)
class Work:
    """Cells to measure.

    Args:
        cells: those that have no result yet.
        kept: records of the same experiments in the same size.
        measured: cells among which those of ``kept`` are.
    """

    cells: Sequence[Cell]
    kept: Sequence[CellRecord] = ()
    measured: Sequence[Cell] = ()


def virtual_budget(works: Sequence[Work], side_by_side: int, others: Iterable[CellRecord] = ()) -> Budget:
    """The budget of cells in virtual time.

    A cell whose point and scheme was measured, in any repetition, is expected to take as long again. The others are expected to take the
    usual time of such cells (:mod:`engine.plan.cell_work`), scaled by the median of measured over usual times.

    Args:
        works: the cells to measure.
        side_by_side: how many at once.
        others: measured cells of anything else, to tell how fast this machine is where nothing is known of the same experiments.
    """
    costs, took = CellWorks(), _took(record for work in works for record in work.kept)
    like = {kind: cell for work in works for cell in (*work.measured, *work.cells) if (kind := _kind(cell)) in took}
    ratios = [median(took[kind]) / costs.of(cell).seconds for kind, cell in islice(like.items(), SOME_KINDS)]
    cells = sum(map(len, took.values()))
    if ratios:
        factor = median(ratios)
    else:
        factor, cells = machine_factor(others)
    expected = [
        median(known) if (known := took.get(_kind(cell))) else factor * costs.of(cell).seconds for work in works for cell in work.cells
    ]
    return Budget(expected, side_by_side, f"from the cost of {cells} cells" if cells else "by the usual cost of such cells")


def _took(records: Iterable[CellRecord]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for record in records:
        if record.cost and record.is_result:
            found.setdefault(kind_of(record.experiment, record.parameters, record.scheme), []).append(record.cost.processor_s)
    return found


def _kind(cell: Cell) -> str:
    return kind_of(cell.experiment, cell.parameters, cell.scheme)


def real_budget(cells: Sequence[Cell]) -> Budget:
    """The budget of cells in real time, one after the other."""
    return Budget([expected_s(cell) for cell in cells], 1, "by how long their scenarios are")


def duration_text(seconds: float) -> str:
    """``40 s``, ``12 min``, ``2.5 h``."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
