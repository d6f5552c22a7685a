"""Max-min fair shares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenario.fair_share import Flow, ideal_run, max_min_shares


def test_what_one_cannot_use_others_get() -> None:
    shares = max_min_shares({"A": ["x", "y"], "B": ["x"], "C": ["y"]}, {"x": 10, "y": 4})
    assert shares == {"A": 2, "C": 2, "B": 8}


@given(st.lists(st.sets(st.integers(0, 4), min_size=1), min_size=1, max_size=8), st.lists(st.integers(1, 100), min_size=5, max_size=5))
def test_every_transmission_has_a_full_link_on_which_nobody_gets_more(ways: list[set[int]], rates: list[int]) -> None:
    named = {str(number): sorted(way) for number, way in enumerate(ways)}
    shares = max_min_shares(named, dict(enumerate(rates)))
    for name, way in named.items():
        bottlenecks = [
            link
            for link in way
            for users in [[shares[other] for other in named if link in named[other]]]
            if sum(users) > rates[link] * (1 - 1e-9) and max(users) <= shares[name] * (1 + 1e-9)
        ]
        assert bottlenecks
    for link, rate in enumerate(rates):
        assert sum(shares[name] for name in named if link in named[name]) <= rate * (1 + 1e-9)


def test_who_can_use_less_leaves_the_rest_to_others() -> None:
    ways = {name: ["x"] for name in "abc"}
    assert max_min_shares(ways, {"x": 30.0}, {"a": 4.0}) == {"a": 4.0, "b": 13.0, "c": 13.0}
    assert max_min_shares(ways, {"x": 30.0}, {"a": 4.0, "b": 5.0, "c": 6.0}) == {"a": 4.0, "b": 5.0, "c": 6.0}


def test_a_link_that_is_down_carries_nothing() -> None:
    assert max_min_shares({"a": ["x"], "b": ["y"]}, {"x": 0.0, "y": 5.0}) == {"a": 0.0, "b": 5.0}


def test_an_ideal_run_follows_arrivals_sizes_and_links() -> None:
    flows = [
        Flow("a", (("x",),), 0.0, 10.0),
        Flow("b", (("x",),), 2.0, 10.0, size_bits=20.0),
        Flow("c", (("x",), ("y",)), 6.0, 8.0),
    ]
    run = ideal_run(flows, [(0.0, {"x": 10.0, "y": 3.0}), (7.0, {"x": 4.0, "y": 3.0})], 10.0)
    # b has half of x from 2 s on: its 20 bits last until 6 s. Then c takes half of x, and y; from 7 s on x carries less.
    assert run.ends_s == {"b": pytest.approx(6.0)}
    assert run.mean_bps("a", 0, 10) == pytest.approx((2 * 10 + 4 * 5 + 1 * 5 + 1 * 2 + 2 * 4) / 10)
    assert run.mean_bps("b", 0, 10) == pytest.approx(2.0)
    assert run.mean_bps("c", 6, 8) == pytest.approx(((5 + 3) + (2 + 3)) / 2)
    assert run.mean_bps("c", 0, 5) == 0


def test_an_ideal_run_ends_when_everything_has_been_sent() -> None:
    run = ideal_run([Flow("a", (("x",),), 0.0, 100.0, size_bits=0.5, limit_bps=1.0)], [(0.0, {"x": 10.0})], 4.0)
    assert run.ends_s == {"a": pytest.approx(0.5)}
    assert run.mean_bps("a", 0, 4) == pytest.approx(0.125)
