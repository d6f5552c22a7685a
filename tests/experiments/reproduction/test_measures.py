"""The definitions that tables are made of."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.reproduction.measures import thinned, time_to_reach, utilisation, value_range
from experiments.reproduction.results import Results, spread
from experiments.samples import Series
from tests.experiments.reproduction.test_store import CELL, record


def test_time_to_reach_is_the_first_sample_at_the_level_after_the_start() -> None:
    series = Series(np.array([9.0, 10.0, 10.1, 10.2, 10.3]), np.array([500.0, 0.0, 99.0, 100.0, 50.0]))
    assert time_to_reach(series, 100.0, 10.0) == pytest.approx(0.2)
    assert time_to_reach(series, 101.0, 10.0) is None
    assert time_to_reach(Series(np.empty(0), np.empty(0)), 1.0, 0.0) is None


def test_utilisation_counts_payload() -> None:
    # 3 MB in 0.6 s on 80 Mbit/s: half.
    assert utilisation(3_000_000, 0.6, 80e6) == pytest.approx(0.5)


def test_range_is_largest_less_smallest() -> None:
    assert value_range(np.array([3.0, -1.0, 2.0])) == 4.0
    assert value_range(np.empty(0)) == 0.0


def test_thinned_keeps_the_ends() -> None:
    time_s, value = thinned(np.arange(1000.0), np.arange(1000.0) * 2, points=10)
    assert len(time_s) == 10
    assert (time_s[0], time_s[-1], value[-1]) == (0.0, 999.0, 1998.0)
    assert thinned(np.empty(0), np.empty(0)) == ([], [])


def test_spread_of_repetitions() -> None:
    found = spread([3.0, None, 1.0, 2.0])
    assert found is not None
    assert (found.median, found.lowest, found.highest, found.count) == (2.0, 1.0, 3.0, 3)
    assert found.text("{:.1f}") == "2.0 [1.0…3.0]"
    assert spread([None]) is None


def test_results_leave_out_what_does_not_count() -> None:
    results = Results([record(values={"x": 5.0}), record(failure="broken", values={})])
    assert results.text("x", "reno", delay_ms=30) == "5.0"
    assert results.text("x", "reno", delay_ms=31) == "—"
    assert results.text("x", "cubic") == "—"
    typical = results.typical("x", CELL.scheme)
    assert typical is not None
    assert typical.values == {"x": 5.0}
