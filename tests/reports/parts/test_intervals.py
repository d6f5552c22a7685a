"""Intervals by a library, against values of a table of Student's t; rules over seeds, against what chance allows."""

from __future__ import annotations

import random
from math import sqrt
from pathlib import Path

import pytest

from engine.collect.record import CellRecord
from reports.claims.intervals import Interval, difference, difference_unpaired, half_width, support
from reports.claims.rules import Holds, at_points
from reports.definition import CellMark
from reports.document.marks import signs, with_legend
from reports.results import CONSTANT, Results, common_seeds, paired, spread
from tests.reports.parts.made_up import experiment, results


def record(scheme: str, seed: int, value: float | None, drawn: tuple[str, ...] = ("start times",), **parameters: int) -> CellRecord:
    return CellRecord(
        experiment="e",
        scheme=scheme,
        repetition=seed,
        parameters=dict(parameters),
        values={"v": value},
        drawn=list(drawn),
        seed=seed,
    )


def holds(rule: str, records: list[CellRecord]) -> tuple[Holds, int]:
    schemes = list(dict.fromkeys(one.scheme for one in records))
    (ruling,) = at_points([rule], {"v": "v"}, Results(records), schemes, None, {})
    assert ruling.holds is not None
    return ruling.holds[0], ruling.seeds


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 2.0, 3.0], 4.3027 * 1 / 3**0.5),  # t of 2 degrees of freedom: 4.3027
        ([5.0] * 10, 0.0),
        ([0.0, 1.0], 12.7062 * 0.5**0.5 / 2**0.5),  # of 1: 12.7062
        ([1.0], None),
        ([], None),
    ],
)
def test_the_interval_is_student_s(values: list[float], expected: float | None) -> None:
    found = half_width(values)
    assert found == (None if expected is None else pytest.approx(expected, rel=1e-4))


def test_the_interval_covers_the_true_mean_as_often_as_it_says() -> None:
    draw = random.Random(1)
    covered = 0
    for _ in range(1000):
        values = [draw.gauss(3.0, 2.0) for _ in range(5)]
        half = half_width(values)
        assert half is not None
        covered += abs(sum(values) / 5 - 3.0) <= half
    assert 930 <= covered <= 970


def test_what_is_common_to_both_schemes_does_not_count_in_their_difference() -> None:
    noise = [0.0, 10.0, -7.0, 3.0]
    found = difference([(5 + one, 4 + one + 0.01 * one) for one in noise])
    assert found is not None
    assert found.excludes_zero
    reverse = difference([(4 + one, 5 + one) for one in noise])
    assert reverse is not None
    assert reverse.high < 0
    assert difference([(1.0, 2.0)]) is None


def test_values_are_paired_by_seed_and_what_draws_nothing_goes_with_every_seed() -> None:
    assert paired({1: 10.0, 2: 20.0}, {2: 2.0, 3: 3.0}) == [(20.0, 2.0)]
    assert paired({CONSTANT: 5.0}, {2: 2.0, 3: 3.0}) == [(5.0, 2.0), (5.0, 3.0)]
    assert paired({1: 1.0}, {CONSTANT: 5.0}) == [(1.0, 5.0)]
    assert paired({CONSTANT: 1.0}, {CONSTANT: 5.0}) == [(1.0, 5.0)]
    assert common_seeds([{1: 0.0, 2: 0.0}, {CONSTANT: 0.0}, {2: 0.0}]) == [2]


def test_a_cell_that_draws_nothing_counts_once_however_often_it_was_measured() -> None:
    found = Results([record("a", seed, 3.0, drawn=()) for seed in (1, 2, 3)]).spread("v", "a")
    assert found is not None
    assert (found.count, found.text()) == (1, "3.0ᵈ")
    single = spread([3.0])
    assert single is not None
    assert single.text() == "3.0¹"
    assert single.text(marks=False) == "3.0"


def test_a_run_from_before_its_starts_were_drawn_is_one_of_many(tmp_path: Path) -> None:
    one = experiment(tmp_path)
    kept = [record.model_copy(update={"drawn": []}) for record in results(one, lambda _cell: {"total_mbps": 3.0}).records]
    where = {"rate_mbps": 10, "loss_percent": 0}
    found = Results.of_cells(one.cells(), kept)
    assert found.text("total_mbps", "reno", ".1f", where) == "3.0¹", "its second repetition was the same run again"
    assert Results(kept).text("total_mbps", "reno", ".1f", where) == "3.0ᵈ"
    assert found.by_seed("total_mbps", "reno", where).keys() != {CONSTANT}


def test_marks_are_those_of_the_runs_behind_a_value() -> None:
    found = Results([record("a", 1, 3.0, rate=10, size=1), record("a", 1, 3.0, rate=10, size=2)])
    assert found.common_parameters("v", "a", {"size": 1}) == {"rate": 10, "size": 1}
    assert found.common_parameters("v", "a", {}) == {"rate": 10}
    assert found.common_parameters("v", "b", {}) == {}
    marks = [CellMark(sign="†", text=text, where={"rate": 10}) for text in ("scaled by 2", "scaled by 3", "scaled by 2")]
    assert with_legend("A table.", [["3.0†"]], marks) == "A table. † scaled by 2; or scaled by 3."
    assert signs(marks[:1], "a", {"rate": 20}) == ""


def test_support_is_the_part_of_bootstrap_samples() -> None:
    assert support(lambda _sample: True, 4) == 1.0
    assert support(lambda _sample: False, 4) == 0.0
    # Of 4 seeds a sample leaves the first one out with probability (3/4)^4.
    assert support(lambda sample: 0 not in sample, 4) == pytest.approx((3 / 4) ** 4, abs=0.07)


def test_a_rule_is_open_where_the_seeds_do_not_say() -> None:
    clear = [record("a", seed, 10.0 + seed) for seed in range(1, 6)] + [record("b", seed, 9.0 + seed) for seed in range(1, 6)]
    assert holds("v.a > v.b", clear) == (Holds.YES, 5), "by 1 with every seed, whatever the seeds' own spread"
    assert holds("v.a < v.b", clear) == (Holds.NO, 5)
    chance = [record("a", seed, value) for seed, value in enumerate([1.0, 9.0, 2.0, 8.0], 1)]
    chance += [record("b", seed, value) for seed, value in enumerate([8.0, 2.0, 9.0, 1.0], 1)]
    assert holds("v.a > v.b", chance) == (Holds.OPEN, 4)


def test_a_rule_over_what_draws_nothing_has_no_chance_in_it() -> None:
    constant = [record("a", 1, 2.0, drawn=()), record("b", 1, 1.0, drawn=())]
    assert holds("v.a > v.b", constant) == (Holds.YES, 0)
    assert holds("v.a > v.b", [record("a", 1, 2.0), record("b", 1, 1.0)]) == (Holds.YES, 1), "one run each"
    mixed = [record("a", seed, 2.0 + seed) for seed in (1, 2, 3)] + [record("b", 1, 1.0, drawn=())]
    assert holds("v.a > v.b", mixed) == (Holds.YES, 3)


def test_a_scheme_that_no_rule_names_does_not_narrow_the_seeds() -> None:
    records = [record("a", seed, 2.0) for seed in (1, 2, 3)] + [record("b", seed, 1.0) for seed in (1, 2, 3)] + [record("c", 9, 0.0)]
    assert holds("v.a > v.b", records) == (Holds.YES, 3)


def test_a_difference_of_runs_that_have_nothing_in_common() -> None:
    """By Welch's t: means 3 and 1, each with a variance of 1 / 3, 4 degrees of freedom."""
    found = difference_unpaired([2, 3, 4], [0, 1, 2])
    assert found is not None
    half = 2.776 * sqrt(2 / 3)
    assert (found.low, found.high) == pytest.approx((2 - half, 2 + half), abs=0.001)


def test_equal_runs_differ_exactly() -> None:
    assert difference_unpaired([2, 2], [1, 1]) == Interval(1, 1)


def test_one_run_has_no_difference() -> None:
    assert difference_unpaired([2], [1, 2]) is None
