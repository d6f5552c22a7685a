"""What a run engine is given: a cell, what is measured of it, and where its result goes."""

from __future__ import annotations

from dataclasses import dataclass

from engine.collect.store import ResultStore
from engine.metrics.measurements import Measurements
from engine.plan.cell import Cell


@dataclass(frozen=True)
class Task:
    """A cell, what is measured of it, and where its result goes."""

    cell: Cell
    measurements: Measurements
    store: ResultStore
