"""Patterns of traffic: each has the pairs of hosts that its name says."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scenario.transmissions import Transmission
from scenario.workloads import Workload

HOSTS = [f"h{number}" for number in range(1, 9)]


def drawn(hosts: list[str] = HOSTS, seed: int = 1, **changes: Any) -> list[Transmission]:
    fields: dict[str, Any] = {"name": "x", "arrivals": {"kind": "periodic", "every_s": 0.1}, "sizes": {"kind": "constant", "bytes": 1000}}
    return list(Workload.model_validate(fields | changes).among(hosts).transmissions(seed, 10.05))


@given(count=st.integers(2, 12), seed=st.integers(0, 1000))
def test_in_a_permutation_each_has_one_receiver_of_its_own(count: int, seed: int) -> None:
    hosts = HOSTS[:1] + [f"x{number}" for number in range(1, count)]
    pairs = {(one.sender, one.receiver) for one in drawn(hosts, seed, pattern="permutation")}
    assert len(pairs) == len({sender for sender, _ in pairs}) == len({receiver for _, receiver in pairs})
    assert all(sender != receiver for sender, receiver in pairs)


def test_all_to_all_takes_every_pair_before_one_comes_again() -> None:
    pairs = [(one.sender, one.receiver) for one in drawn(pattern="all_to_all")]
    assert len(set(pairs[:56])) == 56 == len(HOSTS) * 7
    assert pairs[:44] == pairs[56:100]


def test_in_an_incast_all_begin_at_once_and_to_the_same() -> None:
    bursts: dict[float, list[Transmission]] = {}
    for one in drawn(pattern="incast", fan_in=5):
        bursts.setdefault(one.start_s, []).append(one)
    assert len(bursts) == 100
    for burst in bursts.values():
        assert len({one.sender for one in burst}) == 5
        assert len({one.receiver for one in burst}) == 1
    assert set(Counter(burst[0].receiver for burst in bursts.values())) == set(HOSTS)


def test_a_count_is_one_of_transmissions_not_of_bursts() -> None:
    assert len(drawn(pattern="incast", fan_in=5, count=12)) == 12


@pytest.mark.parametrize(
    ("hosts", "changes", "said"),
    [
        (HOSTS[:3], {"pattern": "incast", "fan_in": 3}, "has 2 others to receive from"),
        (HOSTS[:1], {}, "nobody to whom a sender could send"),
        (HOSTS, {"pattern": "permutation", "receivers": ["h1"]}, "a permutation of 8 senders needs as many receivers; there are 1"),
    ],
)
def test_hosts_that_a_pattern_cannot_be_made_of(hosts: list[str], changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        drawn(hosts, **changes)


def test_a_fan_in_is_for_an_incast() -> None:
    with pytest.raises(ValidationError, match=r'fan_in is for pattern = "incast"'):
        drawn(fan_in=2)
