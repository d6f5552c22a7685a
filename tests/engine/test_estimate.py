"""The progress bar's estimate: within 30 % once a tenth of the time is over, whatever cells of whatever cost."""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass

import pytest

from engine.plan.estimate import Estimate, ExpectedCost

PROCESSORS = 2
TOLERANCE = 0.3


@dataclass(frozen=True)
class Synthetic:
    """A cell: its expected cost, and its true cost (real seconds of one processor)."""

    expected: ExpectedCost
    takes_s: float


def measured(cells: list[Synthetic], tell_cost: bool) -> list[tuple[float, float]]:
    """Measure them in order, ``PROCESSORS`` at once; at each of many moments, the seconds that are left, and their estimate."""
    estimate = Estimate([one.expected for one in cells], PROCESSORS)
    starts: dict[int, float] = {}
    free = [0.0] * PROCESSORS
    for number, one in enumerate(cells):
        starts[number] = heapq.heappop(free)
        heapq.heappush(free, starts[number] + one.takes_s)
    end_s = max(free)
    found, finished = [], set()
    for step in range(1, 1000):
        now_s = end_s * step / 1000
        for number, one in enumerate(cells):
            share = (now_s - starts[number]) / one.takes_s
            setup = one.expected.setup_s / one.expected.seconds
            if share >= 1 and number not in finished:
                finished.add(number)
                estimate.finish(number, one.takes_s if tell_cost else None)
            elif 0 <= share < 1:
                estimate.at(number, one.expected.duration_s * (share - setup) / (1 - setup), now_s)
        found.append((end_s - now_s, estimate.left_s(now_s)))
    return found


def repetitions(costs: dict[str, tuple[float, float]], count: int) -> list[Synthetic]:
    """Cells of schemes, each scheme with its expected and its true cost."""
    one = [Synthetic(ExpectedCost(name, expected, 0.1 * expected, 70.0), takes) for name, (expected, takes) in costs.items()]
    return one * count


DRAWN = random.Random(1)
CELLS = {
    "all alike": repetitions({"a": (10, 10)}, 12),
    "a machine four times as slow": repetitions({"a": (10, 40), "b": (20, 80)}, 6),
    "as web_load: what negotiates costs ten times as much": repetitions(
        {"nodectl": (150, 160), "deployable": (150, 190), "cubic": (24, 20), "bbr": (24, 30), "reno": (24, 18)}, 3
    ),
    "four cells, as make run": repetitions({"nodectl": (14, 16), "reno": (13, 12), "cubic": (13, 13), "bbr": (13, 15)}, 1),
    "three cells on two processors": repetitions({"a": (10, 10)}, 3),
    "a grid of growing rates": [
        Synthetic(ExpectedCost(rate, 5 + rate, 3.0, 20.0), (5 + rate) * DRAWN.uniform(0.8, 1.25)) for rate in (1, 2, 4, 8, 16, 32, 64) * 3
    ],
    "hundreds by chance": [
        Synthetic(ExpectedCost(number, cost, 0.2 * cost, 10.0), cost * DRAWN.uniform(1.0, 2.0))
        for number in range(300)
        for cost in [DRAWN.lognormvariate(2, 1)]
    ],
}


@pytest.mark.parametrize("name", CELLS)
def test_a_tenth_tells_how_long_the_rest_takes(name: str) -> None:
    cells = CELLS[name]
    told = measured(cells, tell_cost=True)
    total_s = told[0][0] * 1000 / 999
    for number, (_, estimated_s) in enumerate(told[100:990]):
        passed_s = (number + 101) / 1000 * total_s
        assert passed_s + estimated_s == pytest.approx(total_s, rel=TOLERANCE), f"after {passed_s:.0f} s of {total_s:.0f} s"
    left_s, estimated_s = told[100]
    assert estimated_s == pytest.approx(left_s, rel=TOLERANCE), "of what is left after a tenth"


def test_simulated_seconds_alone_would_not_tell() -> None:
    """The estimate that was: every cell has the same length, and the dear ones come first."""
    cells = [
        Synthetic(ExpectedCost(one.expected.kind, 70.0, 0.0, 70.0), one.takes_s)
        for one in CELLS["as web_load: what negotiates costs ten times as much"]
    ]
    left_s, estimated_s = measured(cells, tell_cost=False)[100]
    assert abs(estimated_s - left_s) > TOLERANCE * left_s


def test_what_was_measured_corrects_what_is_expected() -> None:
    cells = [ExpectedCost(kind, 10.0, 0.0, 10.0) for kind in ("a", "b", "a", "b")]
    estimate = Estimate(cells)
    assert estimate.total_s == 40
    estimate.finish(0, 30.0)
    assert estimate.total_s == 120, "as much slower as the first one"
    estimate.finish(1, 6.0)
    assert estimate.total_s == 30 + 6 + 30 + 6
    assert estimate.done_s(18.0) == 36
    assert estimate.left_s(18.0) == 18


def test_before_transmissions_begin_setup_goes_on_as_expected() -> None:
    estimate = Estimate([ExpectedCost("a", 10.0, 4.0, 12.0)] * 4, side_by_side=2)
    assert estimate.left_s(0.0) == 20
    estimate.at(0, 0.0, 0.0)
    estimate.at(1, 0.0, 0.0)
    assert estimate.left_s(3.0) == pytest.approx(17)
    assert estimate.left_s(8.0) == pytest.approx(8 * (40 - 8) / 8), "longer than expected: no more than the setup is done"
    estimate.at(0, 6.0, 10.0)
    assert estimate.done_s(10.0) == pytest.approx(4 + 3 + 4)


def test_the_last_cell_has_one_processor() -> None:
    estimate = Estimate([ExpectedCost(kind, 10.0, 0.0, 10.0) for kind in "abc"], side_by_side=2)
    estimate.finish(0)
    estimate.finish(1)
    assert estimate.left_s(10.0) == 10


def test_work_besides_the_cells_counts() -> None:
    estimate = Estimate([ExpectedCost("a", 10.0, 0.0, 10.0)], extra_s=10.0)
    estimate.spend(10.0)
    assert estimate.left_s(20.0) == 20
    estimate.spend(-10.0)
    assert estimate.left_s(20.0) == 20, "as before anything began"
