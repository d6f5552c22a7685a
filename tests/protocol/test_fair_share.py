"""Max-min fair shares."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scenario.fair_share import max_min_shares


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
