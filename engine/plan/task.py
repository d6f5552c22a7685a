"""The input of a run engine: a cell, its measurements, and the store for its result."""

from __future__ import annotations

from dataclasses import dataclass

from engine.collect.store import ResultStore
from engine.metrics.measurements import Measurements
from engine.plan.cell import Cell


@dataclass(frozen=True)
class Task:
    """A cell, its measurements, and the store for its result."""

    cell: Cell
    measurements: Measurements
    store: ResultStore
