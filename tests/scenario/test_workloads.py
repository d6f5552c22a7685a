"""Workloads: the same seed draws the same transmissions, and their distributions are the ones asked for."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import fmean, median
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from scenario.scenario import Scenario
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
        ({"kind": "exponential", "mean_bytes": 50_000}, fmean, 50_000),
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


@pytest.mark.parametrize(
    "sizes",
    [
        {"kind": "constant", "bytes": 70_000},
        {"kind": "exponential", "mean_bytes": 50_000},
        {"kind": "lognormal", "median_bytes": 10_000, "sigma": 1.0},
        {"kind": "pareto", "shape": 1.0, "least_bytes": 1000, "most_bytes": 100_000},
        {"kind": "pareto", "shape": 1.2, "least_bytes": 1000, "most_bytes": 100_000},
        {"kind": "pareto", "shape": 3, "least_bytes": 1000},
        {"kind": "web", "most_bytes": 2_000_000},
        {"kind": "web_search"},
        {"kind": "web_search", "most_bytes": 700_000},
        {"kind": "data_mining", "most_bytes": 3_000_000},
    ],
)
def test_the_mean_is_that_of_what_is_drawn(sizes: dict[str, Any]) -> None:
    drawn = workload(sizes=sizes, arrivals={"kind": "poisson", "per_s": 1000}, count=50_000)
    assert fmean(one.size_bytes or 0 for one in drawn.transmissions(1, 100)) == pytest.approx(drawn.sizes.mean_bytes, rel=0.03)


def test_sizes_of_the_web_are_mostly_small_with_a_heavy_tail() -> None:
    """Lognormal with a median of e^9.357 bytes (93 %), Pareto of shape 1.1 above 133 KB (7 %)."""
    wanted = workload(sizes={"kind": "web"}, arrivals={"kind": "poisson", "per_s": 1000}, count=50_000)
    drawn = np.sort([one.size_bytes or 0 for one in wanted.transmissions(2, 100)])
    assert np.median(drawn) == pytest.approx(13_150, rel=0.03)
    above = {size: float((drawn > size).mean()) for size in (1_000_000, 2_000_000, 10_000_000)}
    # The tail has P(size > x) = ((133 KB / x)^1.1 - c) / (1 - c) with c = (133 KB / 10 MB)^1.1. The body has a twentieth of that there.
    cut = 0.0133**1.1
    for size in (1_000_000, 2_000_000):
        assert above[size] == pytest.approx(0.07 * ((133_000 / size) ** 1.1 - cut) / (1 - cut), rel=0.15)
    assert above[10_000_000] == 0
    assert float(drawn[-len(drawn) // 10 :].sum() / drawn.sum()) > 0.6, "a tenth of the files is most of the bytes"


@pytest.mark.parametrize(("kind", "median_bytes", "above"), [("web_search", 73_000, 0.30), ("data_mining", 990, 0.10 - 0.02)])
def test_sizes_in_data_centres_are_as_published(kind: str, median_bytes: float, above: float) -> None:
    """DCTCP's figure 4: 30 % are above 1 MB; VL2's figure 2: half are below 1 KB, and a tenth above 400 KB."""
    wanted = workload(sizes={"kind": kind}, arrivals={"kind": "poisson", "per_s": 1000}, count=50_000)
    drawn = np.array([one.size_bytes or 0 for one in wanted.transmissions(2, 100)])
    assert np.median(drawn) == pytest.approx(median_bytes, rel=0.05)
    assert float((drawn > 1_000_000).mean()) == pytest.approx(above, abs=0.01)


LOADED: dict[str, Any] = {
    "title": "Load",
    "topology": {
        "kind": "dumbbell",
        "pairs": 2,
        "access": {"rate_mbps": 100},
        "bottleneck": {"rate_mbps": 20, "reverse": {"rate_mbps": 5}},
    },
    "run": {"schemes": ["cubic"], "duration_s": 400},
}


def loaded(percent: float, link: tuple[str, str] | None = ("s1", "s2"), **changes: Any) -> Scenario:
    fields = {"senders": ["h1", "h2"], "receivers": ["h3", "h4"], "sizes": {"kind": "exponential", "mean_bytes": 50_000}, **changes}
    one = {"name": "web", "arrivals": {"kind": "load", "percent": percent, "link": link}, **fields}
    return Scenario.model_validate({**LOADED, "workloads": [one]})


@pytest.mark.parametrize(
    ("percent", "link", "rate_bps"),
    [(10, ("s1", "s2"), 20e6), (90, ("s1", "s2"), 20e6), (50, ("s2", "s1"), 5e6), (20, ("h1", "s1"), 1e8), (5, None, 2e8)],
)
def test_a_load_is_payload_over_what_the_link_carries(percent: float, link: tuple[str, str] | None, rate_bps: float) -> None:
    scenario = loaded(percent, link)
    sent_bps = sum(one.size_bytes or 0 for one in scenario.all_transmissions) * 8 / 400
    spread = math.sqrt(2 / len(scenario.all_transmissions))  # of a sum of so many exponential sizes, their number Poisson
    assert sent_bps == pytest.approx(percent / 100 * rate_bps * 1448 / 1514, rel=3 * spread)
    assert scenario.all_transmissions == loaded(percent, link).all_transmissions
    assert scenario.with_seed(2).all_transmissions != scenario.all_transmissions


def test_a_load_needs_a_link_and_sizes_with_a_mean() -> None:
    with pytest.raises(ValidationError, match="there is no link s1–h3"):
        loaded(50, ("s1", "h3"))
    with pytest.raises(ValidationError, match="no mean"):
        loaded(50, sizes={"kind": "pareto", "shape": 1, "least_bytes": 1000})


def test_the_same_seed_draws_the_same_digits_on_every_machine() -> None:
    wanted = workload(sizes={"kind": "web"})
    assert [(one.start_s, one.size_bytes) for one in wanted.transmissions(1, 1)][:3] == [
        (0.000244, 9883),
        (0.006458, 26668),
        (0.006803, 1487),
    ]


def test_impossible_workloads_are_refused() -> None:
    with pytest.raises(ValidationError, match="most_bytes is not above"):
        workload(sizes={"kind": "pareto", "shape": 1, "least_bytes": 10, "most_bytes": 5})
    with pytest.raises(ValidationError, match="arrivals"):
        workload(arrivals={"kind": "sometimes"})
