"""Two connections over one link, and which part of it each gets. Real transfers of half a minute and more; root only.

Rates over a few seconds scatter too much to decide anything, so these run with NODECTL_LONG_TESTS=1 alone.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.studies.emulated_transfers.emulated_path import Direction
from bench.studies.emulated_transfers.measures import PAYLOAD_SHARE, Rows, first_and_second, narrow, near_and_far, rates_bps
from tests.harness.long_tests import only_long
from tests.hosts.emulated_path import LIMIT_S, repeated_if_unfaithful

pytestmark = [
    only_long,
    pytest.mark.timeout(LIMIT_S),
]

DURATION_S = 30.0
LIBRA_S = 150.0
"""In simulated time the rates are equal after 100 s (test_simulated_sharing.py)."""

EQUAL = 1.4
"""Ratio of rates that passes for equal: three times the scatter of some hundred losses by chance; standard TCP gives 2.5 to 4."""


def near_over_far(flows: tuple[Rows, Rows], forward: Direction, from_s: float = 4.0, until_s: float = DURATION_S - 0.5) -> float:
    near, far = rates_bps(flows, from_s, until_s)
    print(f"{near / 1e6:.2f} and {far / 1e6:.2f} Mbit/s")
    assert forward.rate_bps is None or near + far > 0.8 * forward.rate_bps * PAYLOAD_SHARE
    return near / far


@repeated_if_unfaithful
def test_libra_gives_equal_rates_at_40_and_160_ms(tmp_path: Path) -> None:
    """With the paper's k1 = 2, which takes its time on every link: growth in BDPs an RTT does not depend on the capacity."""
    flows = near_and_far(tmp_path, "libra", LIBRA_S, narrow())
    assert 1 / EQUAL < near_over_far(flows, narrow(), LIBRA_S - 50, LIBRA_S - 0.5) < EQUAL


@repeated_if_unfaithful
def test_libra_gets_there_sooner_with_a_larger_k1(tmp_path: Path) -> None:
    assert 1 / EQUAL < near_over_far(near_and_far(tmp_path, "libra(k1=40)", DURATION_S, narrow()), narrow()) < EQUAL


@repeated_if_unfaithful
def test_standard_tcp_gives_the_nearer_receiver_more(tmp_path: Path) -> None:
    assert near_over_far(near_and_far(tmp_path, "reno", DURATION_S, narrow()), narrow()) > 1.8


@pytest.mark.parametrize("name", ["hybla", "reno"])
@repeated_if_unfaithful
def test_hybla_has_the_same_rate_at_40_and_160_ms(tmp_path: Path, name: str) -> None:
    """Losses by chance, no queue: the rate that belongs to a loss ratio does not depend on the RTT; standard TCP's does."""
    path = Direction(delay_s=0.02, loss=0.005)
    ratio = near_over_far(near_and_far(tmp_path, name, DURATION_S, path), path)
    assert 1 / EQUAL < ratio < EQUAL if name == "hybla" else ratio > 2.5


@repeated_if_unfaithful
def test_qtcolfair_shares_with_a_latecomer(tmp_path: Path) -> None:
    """Probes every 10 s: after some of them both see the path without the other's queue. The latest one to probe has less for a while."""
    first, second = rates_bps(first_and_second(tmp_path, "qtcolfair", 45.0), 25.0, 44.5, late_s=2.5)
    assert second / first == pytest.approx(1, abs=0.35), f"{first / 1e6:.2f} and {second / 1e6:.2f} Mbit/s"


@repeated_if_unfaithful
def test_qtcol_gives_a_latecomer_more(tmp_path: Path) -> None:
    """It takes the others' queue for the path: the reason for qtcolfair, and the proof that the test above can see it."""
    first, second = rates_bps(first_and_second(tmp_path, "qtcol", 15.0), 5.0, 14.5, late_s=2.5)
    assert second / first > 1.3
