"""The progress bar of cells: several threads tell it how far theirs are."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from rich.console import Console

from engine.execute.progress import CellProgress
from engine.plan.cell import Cell
from tests.engine.cells import experiment

MANY = 10


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
def test_threads_tell_it_side_by_side(tmp_path: Path) -> None:
    cells = experiment(tmp_path, repetitions=MANY).cells()

    def measure(cell: Cell) -> None:
        for step in range(50):
            progress.at(cell, step / 10)
        progress.finish(cell, 1.0)

    with CellProgress(cells, Console(file=io.StringIO(), force_terminal=True)) as progress, ThreadPoolExecutor(4) as pool:
        list(pool.map(measure, cells))
