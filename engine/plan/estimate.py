"""How much of the cells' work is done, and how long the rest takes: from the expected cost of each and the costs of measured ones."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class ExpectedCost:
    """The expected cost of one cell, before anything is known of cells like it.

    Args:
        kind: equal for cells that cost about the same: repetitions of one point and scheme.
        seconds: all of it, in any unit that is the same for all cells.
        setup_s: of these, before its transmissions begin.
        duration_s: of its transmissions, on the clock inside.
    """

    kind: Hashable
    seconds: float
    setup_s: float
    duration_s: float


class Estimate:
    """The estimate for several cells, by their places in a list.

    Work is weighed by cost and not by simulated time, since cells of equal length may cost ten times as much as others. A cell of a
    measured kind is taken to cost the median of that kind. The others' expected costs are scaled by the median of measured over expected
    costs.

    Nobody says how far a cell is before its transmissions begin: as long as they do not, its setup is taken to go on as expected.

    Args:
        cells: the expected cost of each.
        side_by_side: how many are measured at once.
        extra_s: work besides the cells.
    """

    def __init__(self, cells: Sequence[ExpectedCost], side_by_side: int = 1, extra_s: float = 0.0) -> None:
        self._cells = cells
        self._side_by_side = side_by_side
        self._extra_s, self._extra_done_s = extra_s, 0.0
        self._elapsed_s: dict[int, float] = {}
        self._began_s: dict[int, float] = {}
        self._waiting = set(range(len(cells)))
        self._took_s: dict[Hashable, list[float]] = {}
        self._scales: list[float] = []
        self._costs_s = [one.seconds for one in cells]
        """As they are known now: computed anew when a cell is done, not whenever somebody looks."""

    def spend(self, seconds: float) -> None:
        """So much of the work besides the cells is done; less than 0: it is to be done again."""
        self._extra_done_s += seconds

    def at(self, cell: int, elapsed_s: float, passed_s: float) -> None:
        """A cell has come to this many seconds after its start; before it starts they are 0 or below.

        Args:
            cell: its place.
            elapsed_s: on the clock inside.
            passed_s: real seconds since the beginning of everything.
        """
        self._began_s.setdefault(cell, passed_s)
        self._elapsed_s[cell] = elapsed_s

    def finish(self, cell: int, took_s: float | None = None) -> None:
        """A cell is done, whatever came of it.

        Args:
            took_s: its cost; None: unknown.
        """
        self._elapsed_s.pop(cell, None)
        self._waiting.discard(cell)
        if took_s:
            self._took_s.setdefault(self._cells[cell].kind, []).append(took_s)
            self._scales.append(took_s / self._cells[cell].seconds)
            scale, known = median(self._scales), {kind: median(took) for kind, took in self._took_s.items()}
            self._costs_s = [known.get(one.kind, one.seconds * scale) for one in self._cells]

    @property
    def total_s(self) -> float:
        """Cost of everything, as it is known now."""
        return sum(self._costs_s) + self._extra_s

    def done_s(self, passed_s: float) -> float:
        """Cost of the work done, cells under way counted in part; processor or real seconds, as ``total_s``.

        Args:
            passed_s: real seconds since the beginning of everything.
        """
        left_s = sum(self._costs_s[cell] for cell in self._waiting)
        begun_s = sum(self._costs_s[cell] * self._share(cell, passed_s) for cell in self._elapsed_s)
        return sum(self._costs_s) - left_s + begun_s + self._extra_done_s

    def left_s(self, passed_s: float) -> float:
        """Real seconds until everything is done.

        Args:
            passed_s: real seconds since the beginning of everything.
        """
        done_s = self.done_s(passed_s)
        at_once = min(self._side_by_side, len(self._cells))
        pace = passed_s * at_once / done_s if done_s > 0 and passed_s > 0 else 1.0
        return pace * (self._cells_left_s(passed_s, at_once) + self._extra_s - self._extra_done_s)

    def _cells_left_s(self, passed_s: float, at_once: int) -> float:
        waiting = sorted(self._waiting, key=lambda cell: (cell not in self._elapsed_s, cell))
        return time_of_all((self._costs_s[cell] * (1 - self._share(cell, passed_s)) for cell in waiting), at_once)

    def _share(self, cell: int, passed_s: float) -> float:
        one, elapsed_s = self._cells[cell], self._elapsed_s.get(cell)
        if elapsed_s is None:
            return 0.0
        setup = one.setup_s / one.seconds
        if elapsed_s <= 0:
            return min((passed_s - self._began_s[cell]) / self._costs_s[cell], setup)
        return setup + (1 - setup) * min(elapsed_s / one.duration_s, 1.0)


def time_of_all(costs_s: Iterable[float], at_once: int) -> float:
    """Seconds until the last of several is done, if each free processor takes the next one, in their order.

    Args:
        costs_s: seconds of each.
        at_once: how many side by side.
    """
    free_s = [0.0] * max(at_once, 1)
    for cost_s in costs_s:
        heapq.heapreplace(free_s, free_s[0] + cost_s)
    return max(free_s)
