"""The values that every cell has without being asked, against values computed by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.collect.fair_share_time import fair_share_s
from engine.collect.run_data import RunData
from engine.collect.samples import Series
from engine.collect.values import smoothed_rtt_ms
from tests.reports.test_metrics import START_S, run_of


def with_b(run: RunData, *megabits: tuple[float, float]) -> RunData:
    """B has read so much at these seconds after the start. Its share is 10 Mbit/s of payload beside A, which ends at 2 s, then 20."""
    times_s, read = np.array([(0.0, 0.0), *megabits]).T
    received = Series(START_S + times_s, read * 1e6 / 8)
    return replace(run, transmissions={**run.transmissions, "B": replace(run["B"], received=received)})


def holding(run: RunData, held_s: float) -> RunData:
    """The same where a share has to be kept for so many seconds."""
    scenario = run.scenario.model_copy(update={"run": run.scenario.run.model_copy(update={"fair_share_held_s": held_s})})
    return replace(run, scenario=scenario)


@pytest.mark.parametrize(
    ("megabits", "expected_s"),
    [
        ([(4, 38)], 0.5),  # 9.5 Mbit/s
        ([(1, 6), (4, 36)], 1.5),  # 6, then 10
        ([(2, 16), (3, 31), (4, 50)], 3.5),  # 8, 15, then 19
        ([(4, 32)], None),
        ([(1, 2), (1.5, 7), (2, 9)], None),  # 2, 10 for one window, then 4: it only passes by
    ],
)
def test_the_time_to_the_fair_share_is_that_of_the_last_one(
    tmp_path: Path, megabits: list[tuple[float, float]], expected_s: float | None
) -> None:
    assert fair_share_s(holding(with_b(run_of(tmp_path), *megabits), 1.0)) == expected_s


@pytest.mark.parametrize(("held_s", "expected_s"), [(0.5, 0.5), (1.0, 1.5), (1.5, 1.5), (2.0, None), (5.0, None)])
def test_the_fair_share_has_to_be_kept_as_long_as_the_scenario_says(tmp_path: Path, held_s: float, expected_s: float | None) -> None:
    """10 Mbit/s for one window, then 2, then 10 from 1 to 2.5 s of a share that doubles at 2 s."""
    run = with_b(run_of(tmp_path), (0.5, 5), (1, 6), (2, 16), (2.5, 26), (4, 27))
    assert fair_share_s(holding(run, held_s)) == expected_s


def test_a_transmission_that_was_refused_has_no_share_to_wait_for(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    assert fair_share_s(run) is None
    run = holding(run, 0.5)
    refused = replace(run["B"], summary={**run["B"].summary, "negotiation": "refused"})
    assert fair_share_s(replace(run, transmissions={**run.transmissions, "B": refused})) == 0.5


def test_the_mean_smoothed_rtt_is_that_of_the_measuring_window(tmp_path: Path) -> None:
    run = run_of(tmp_path)  # there are samples of A alone
    assert smoothed_rtt_ms(run) == pytest.approx((41 + 45 + 42) / 3)
    (tmp_path / "A.csv").unlink()
    assert smoothed_rtt_ms(run) is None
