"""One progress bar for all cells that are measured, one after the other or side by side."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from engine.plan.budget import expected_s
from engine.plan.cell import Cell
from engine.plan.estimate import Estimate, ExpectedCost

PROGRESS = "progress"
"""An event of virtual time: how far a cell is."""


def in_real_time(cell: Cell) -> ExpectedCost:
    """The expected cost of a cell in real time."""
    return ExpectedCost(id(cell), expected_s(cell), 0.0, cell.scenario.run.duration_s)


class CellProgress:
    """Context manager: shows how far cells are. Threads that measure may tell it of theirs.

    Args:
        cells: all that are to be measured.
        console: that the bar is drawn on.
        extra_s: the cost of everything besides the cells, as ``cost`` counts it.
        cost: gives the expected cost of a cell.
        side_by_side: how many are measured at once.
    """

    def __init__(
        self,
        cells: Iterable[Cell],
        console: Console,
        extra_s: float = 0.0,
        *,
        cost: Callable[[Cell], ExpectedCost] = in_real_time,
        side_by_side: int = 1,
    ) -> None:
        columns = (
            TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(), _LeftColumn(self._left),
        )  # fmt: skip
        listed = list(cells)
        self._numbers = {id(cell): number for number, cell in enumerate(listed)}
        """By identity: cells of two papers may have the same key."""
        self._estimate = Estimate([cost(cell) for cell in listed], side_by_side, extra_s)
        self._begun: set[int] = set()
        self._lock = threading.Lock()
        self._progress = Progress(*columns, console=console)
        self._task = self._progress.add_task("", total=self._estimate.total_s)
        self._start_s = time.monotonic()

    def __enter__(self) -> CellProgress:
        self._progress.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.__exit__(kind, error, trace)

    def say(self, words: str) -> None:
        """Show the current activity."""
        self._progress.update(self._task, description=words)

    def spend(self, seconds: float) -> None:
        """This much of the time besides the cells' own is over; less than 0: it is to come again."""
        with self._lock:
            self._estimate.spend(seconds)
        self._show()

    def at(self, cell: Cell, elapsed_s: float) -> None:
        """A cell has come to this many seconds after its start; before it starts they are below 0."""
        with self._lock:
            self._begun.add(id(cell))
            self._estimate.at(self._numbers[id(cell)], elapsed_s, self._passed_s)
            others = len(self._begun) - 1
        self._show()
        self.say(f"{cell}{f' and {others} more' if others else ''}")

    def finish(self, cell: Cell, took_s: float | None = None) -> None:
        """A cell is done, whatever came of it.

        Args:
            took_s: its cost; None: unknown.
        """
        with self._lock:
            self._begun.discard(id(cell))
            self._estimate.finish(self._numbers[id(cell)], took_s)
        self._show()

    @property
    def _passed_s(self) -> float:
        return time.monotonic() - self._start_s

    def _show(self) -> None:
        with self._lock:
            done_s, total_s = self._estimate.done_s(self._passed_s), self._estimate.total_s
        # Not with the lock: the thread that draws the bar holds the bar's lock, and then asks for ours.
        self._progress.update(self._task, completed=done_s, total=total_s)

    def _left(self) -> str:
        with self._lock:
            return f"left: {_clock(self._estimate.left_s(self._passed_s))}"


class _LeftColumn(ProgressColumn):
    """The time left, computed whenever the bar is drawn: it gets less although nothing is told.

    Args:
        text: gives it.
    """

    def __init__(self, text: Callable[[], str]) -> None:
        super().__init__()
        self._text = text

    def render(self, _task: Task) -> Text:
        """The column."""
        return Text(self._text())


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
