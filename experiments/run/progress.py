"""One progress bar for all cells that are measured, one after the other or side by side."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from experiments.run.cell import Cell

OVERHEAD_S = 0.8
"""Of every cell, for the time left: setting links, starting, letting the queues run empty, reading samples."""


class CellProgress:
    """Context manager: shows how far cells are.

    Args:
        cells: all that are to be measured.
        console: where.
        extra_s: time that is needed besides the cells' own, seconds.
    """

    def __init__(self, cells: Iterable[Cell], console: Console, extra_s: float = 0.0) -> None:
        columns = (
            TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn(),
        )  # fmt: skip
        self._progress = Progress(*columns, console=console, speed_estimate_period=300)
        self._task = self._progress.add_task("", total=sum(expected_s(cell) for cell in cells) + extra_s)
        self._begun: dict[int, float] = {}
        """By identity: cells of two papers may have the same key."""
        self._done_s = 0.0

    def __enter__(self) -> CellProgress:
        self._progress.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.__exit__(kind, error, trace)

    def say(self, words: str) -> None:
        """What is going on besides cells."""
        self._progress.update(self._task, description=words)

    def spend(self, seconds: float) -> None:
        """This much of the time besides the cells' own is over; less than 0: it is to come again."""
        self._done_s += seconds
        self._show()

    def at(self, cell: Cell, elapsed_s: float) -> None:
        """A cell has come to this many seconds after its start; before it starts they are below 0."""
        self._begun[id(cell)] = min(max(0.0, elapsed_s), cell.scenario.run.duration_s)
        self._show()
        self._name(cell)

    def finish(self, cell: Cell) -> None:
        """A cell is done, whatever came of it."""
        self._begun.pop(id(cell), None)
        self._done_s += expected_s(cell)
        self._show()

    def _name(self, cell: Cell) -> None:
        others = len(self._begun) - 1
        self.say(f"{cell}{f' and {others} more' if others else ''}")

    def _show(self) -> None:
        self._progress.update(self._task, completed=self._done_s + sum(self._begun.values()))


def expected_s(cell: Cell) -> float:
    """Seconds on the clock inside that a cell takes, at most."""
    return cell.scenario.run.duration_s + OVERHEAD_S
