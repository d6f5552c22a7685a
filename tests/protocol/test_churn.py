"""The worth of the arrival estimate when transmissions come and go by chance (docs/churn.md has the tables)."""

from __future__ import annotations

import pytest

from bench.studies.simulated_network.churn import ChurnRun, Form, OtherEstimator
from protocol.model.port_model import ArrivalEstimator
from protocol.variant import DEPLOYABLE


def test_with_its_own_parameters_it_is_the_estimator_of_the_model() -> None:
    own, model = OtherEstimator(), ArrivalEstimator()
    for number in range(500):
        now_us, rtt_us = 7_919 * number * (1 + number % 5), 1_000 * (1 + number % 200)
        assert own.expected_q8(now_us, rtt_us, number % 3 > 0) == pytest.approx(model.expected_q8(now_us, rtt_us, number % 3 > 0), abs=1)


def test_a_run_is_the_same_again_and_everybody_ends() -> None:
    first, again = (ChurnRun(Form(), load=0.5, seconds=3).carry_out() for _ in range(2))
    assert first.done == again.done
    assert all(one.took_s is not None for one in first.done)
    assert first.above_s == 0


def test_the_one_who_asks_is_not_among_those_expected() -> None:
    """Of Poisson arrivals 1 + V · RTT come within an RTT of one of them; Q_T is max(1, V · RTT)."""
    came, expected = ChurnRun(Form(), load=0.8, seconds=5).carry_out().came_over_expected()
    assert came - expected == pytest.approx(1, abs=0.5)


def test_nothing_is_kept_back_without_the_estimate() -> None:
    """With alpha = 0 a newcomer gets all that is free, or an equal part; with 4 a part of that."""
    without, more = (ChurnRun(Form(alpha=alpha), load=0.8, seconds=5).carry_out() for alpha in (0, 4))
    assert without.first_over_fair() > 1.2 * more.first_over_fair()
    assert without.idle_percent < more.idle_percent


def test_who_is_far_begins_with_less() -> None:
    """Q_T goes by the RTT of the one who asks, though those who are expected take theirs from everybody."""
    run = ChurnRun(Form(), rtts_ms=(10, 160), load=0.8, seconds=5).carry_out()
    assert run.first_over_fair(160) < 0.8 * run.first_over_fair(10)


def test_the_deployable_variant_under_churn() -> None:
    run = ChurnRun(Form(), load=0.5, seconds=3, variant=DEPLOYABLE).carry_out()
    assert run.above_s == 0
    assert all(one.took_s is not None for one in run.done)
