"""What every cell has without being asked, against values computed by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.run.fair_share_time import fair_share_s
from experiments.run.outcome import RunData
from experiments.run.samples import Series
from experiments.run.values import smoothed_rtt_ms
from tests.experiments.test_metrics import START_S, run_of


def with_b(run: RunData, *megabits: tuple[float, float]) -> RunData:
    """B has read so much at these seconds after the start. Its share is 10 Mbit/s of payload beside A, which ends at 2 s, then 20."""
    times_s, read = np.array([(0.0, 0.0), *megabits]).T
    received = Series(START_S + times_s, read * 1e6 / 8)
    return replace(run, outcomes={**run.outcomes, "B": replace(run["B"], received=received)})


@pytest.mark.parametrize(
    ("megabits", "expected_s"),
    [
        ([(4, 38)], 0.5),  # 9.5 Mbit/s
        ([(1, 6), (4, 36)], 1.5),  # 6, then 10
        ([(2, 16), (3, 31), (4, 50)], 3.5),  # 8, 15, then 19
        ([(4, 32)], None),
    ],
)
def test_the_time_to_the_fair_share_is_that_of_the_last_one(
    tmp_path: Path, megabits: list[tuple[float, float]], expected_s: float | None
) -> None:
    assert fair_share_s(with_b(run_of(tmp_path), *megabits)) == expected_s


def test_a_transmission_that_was_refused_has_no_share_to_wait_for(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    assert fair_share_s(run) is None
    refused = replace(run["B"], summary={**run["B"].summary, "negotiation": "refused"})
    assert fair_share_s(replace(run, outcomes={**run.outcomes, "B": refused})) == 0.5


def test_the_mean_smoothed_rtt_is_that_of_the_measuring_window(tmp_path: Path) -> None:
    run = run_of(tmp_path)  # there are samples of A alone
    assert smoothed_rtt_ms(run) == pytest.approx((41 + 45 + 42) / 3)
    (tmp_path / "A.csv").unlink()
    assert smoothed_rtt_ms(run) is None
