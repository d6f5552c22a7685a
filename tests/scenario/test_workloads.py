"""Workloads: the same seed draws the same transmissions, and their distributions are the ones asked for."""

from __future__ import annotations

from itertools import pairwise
from statistics import mean, median
from typing import Any

import pytest
from pydantic import ValidationError

from scenario.workloads import Workload


def workload(**changes: Any) -> Workload:
    fields: dict[str, Any] = {
        "name": "web",
        "senders": ["h1", "h2"],
        "receivers": ["h3", "h1"],
        "arrivals": {"kind": "poisson", "per_s": 50},
        "sizes": {"kind": "constant", "bytes": 1000},
    }
    return Workload.model_validate(fields | changes)


def test_a_seed_draws_the_same_and_another_seed_others() -> None:
    first, again, other = (list(workload().transmissions(seed, 60)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert all(one.sender != one.receiver for one in first)
    assert [one.name for one in first[:2]] == ["web1", "web2"]


def test_poisson_arrivals_have_the_wanted_mean() -> None:
    starts = [one.start_s for one in workload().transmissions(1, 200)]
    assert len(starts) == pytest.approx(10_000, rel=0.03)
    gaps = [after - before for before, after in pairwise(starts)]
    assert sum(gap > 0.02 for gap in gaps) / len(gaps) == pytest.approx(0.368, abs=0.02), "e^-1 of the gaps are above their mean"


def test_periodic_arrivals_and_a_count() -> None:
    arrivals = {"kind": "periodic", "every_s": 0.5}
    assert [one.start_s for one in workload(arrivals=arrivals, count=3, start_s=1).transmissions(1, 60)] == [1.5, 2.0, 2.5]
    assert len(list(workload(arrivals=arrivals, stop_s=3).transmissions(1, 60))) == 5


@pytest.mark.parametrize(
    ("sizes", "statistic", "value"),
    [
        ({"kind": "exponential", "mean_bytes": 50_000}, mean, 50_000),
        ({"kind": "lognormal", "median_bytes": 10_000, "sigma": 1.5}, median, 10_000),
        # P(size > x) = (1000/x)^1.2: half are below 1000 · 2^(1/1.2).
        ({"kind": "pareto", "shape": 1.2, "least_bytes": 1000}, median, 1782),
    ],
)
def test_sizes_follow_their_distribution(sizes: dict[str, Any], statistic: Any, value: float) -> None:
    drawn = [one.size_bytes for one in workload(sizes=sizes).transmissions(3, 400)]
    assert statistic(drawn) == pytest.approx(value, rel=0.05)


def test_a_bounded_pareto_stays_within_its_bounds() -> None:
    sizes = {"kind": "pareto", "shape": 1.1, "least_bytes": 1000, "most_bytes": 100_000}
    drawn = [one.size_bytes or 0 for one in workload(sizes=sizes).transmissions(3, 400)]
    assert min(drawn) >= 1000
    assert 90_000 < max(drawn) <= 100_000


def test_impossible_workloads_are_refused() -> None:
    with pytest.raises(ValidationError, match="most_bytes is not above"):
        workload(sizes={"kind": "pareto", "shape": 1, "least_bytes": 10, "most_bytes": 5})
    with pytest.raises(ValidationError, match="arrivals"):
        workload(arrivals={"kind": "sometimes"})
