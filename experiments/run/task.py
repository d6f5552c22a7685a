"""What a run engine is given: a cell, what is measured of it, and where its result goes."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.metrics.measurements import Measurements
from experiments.run.cell import Cell
from experiments.run.store import ResultStore


@dataclass(frozen=True)
class Task:
    """A cell, what is measured of it, and where its result goes."""

    cell: Cell
    measurements: Measurements
    store: ResultStore
