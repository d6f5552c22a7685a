"""Throughput, fairness and the order of events, from samples."""

import numpy as np
import pytest

from engine.collect.fidelity import judge
from engine.collect.samples import Series
from engine.collect.statistics import first_data_s, increase_per_bin, jain_index, mean_bps, reduced_at_s, throughput_bps
from topo.management import Lateness, LinkStatistics


def link(packets: int, late: int, name: str = "s1-s2") -> LinkStatistics:
    return LinkStatistics("s1", 4, name, "egress", 0, packets, 0, 0, 0, Lateness(packets, late, 30.0, 200.0, 900.0))


def test_constant_rate_is_constant_in_every_bin() -> None:
    time_s = np.linspace(100.0, 110.0, 1001)
    middle_s, rate_bps = throughput_bps(Series(time_s, (time_s - 100.0) * 125_000), 100.0, 110.0)
    assert middle_s[0] == pytest.approx(0.05)
    assert rate_bps == pytest.approx(np.full(100, 1e6))


def test_mean_counts_only_the_interval() -> None:
    series = Series(np.array([0.0, 10.0, 20.0]), np.array([0.0, 0.0, 1_250_000.0]))
    assert mean_bps(series, 10.0, 20.0) == pytest.approx(1e6)
    assert mean_bps(series, 0.0, 10.0) == 0.0


def test_no_samples_are_no_throughput() -> None:
    empty = Series(np.empty(0), np.empty(0))
    assert mean_bps(empty, 0.0, 1.0) == 0.0
    assert first_data_s(empty) is None


@pytest.mark.parametrize(("rates", "index"), [([5, 5, 5], 1.0), ([9, 0, 0], 1 / 3), ([0, 0], 0.0)])
def test_jain(rates: list[float], index: float) -> None:
    assert jain_index(rates) == pytest.approx(index)


def test_losses_fall_into_the_bin_of_their_time() -> None:
    counter = Series(np.array([0.0, 0.5, 0.51, 1.0]), np.array([0.0, 0.0, 7.0, 7.0]))
    lost = increase_per_bin(counter, 0.0, 1.0)
    assert lost[5] == pytest.approx(7.0)
    assert lost.sum() == pytest.approx(7.0)


def test_reduction_is_found_after_the_given_time_only() -> None:
    allocated = Series(np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([36e6, 30e6, 30e6, 18e6, 18e6]))
    assert reduced_at_s(allocated, 1.5) == 3.0
    assert reduced_at_s(allocated, 3.5) is None


def test_verdict_accepts_one_percent_and_no_more() -> None:
    assert judge([link(1000, 10)]).accepted
    rejected = judge([link(1000, 0, "s1-h1"), link(1000, 11)])
    assert not rejected.accepted
    assert rejected.worst_link == "s1-s2 egress"
    assert "REJECTED" in str(rejected)


def test_a_run_without_packets_is_no_result() -> None:
    assert not judge([]).accepted
    assert not judge([link(0, 0)]).accepted


def test_in_a_run_of_few_packets_not_one_may_be_late() -> None:
    assert judge([link(3, 0)]).accepted
    assert not judge([link(99, 1)]).accepted
    assert judge([link(99, 1, "s1-h1"), link(1000, 10)]).accepted
