"""Senders that follow one level a port, end to end: exact shares while three are there, and after one has gone; nothing dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.installation import PROJECT
from tests.end_to_end.conftest import measured
from tests.harness.precision import assert_on_time, within

SCENARIO = PROJECT / "scenario" / "examples" / "fair_level.toml"


@pytest.mark.real_time
@pytest.mark.usefixtures("nothing_left_behind")
def test_three_that_come_and_go_have_their_shares(tmp_path: Path) -> None:
    (record,) = measured(SCENARIO, tmp_path)
    assert_on_time(record)
    values = record.values
    for name in "ABC":
        assert values[f"mean_mbps.{name}"] == pytest.approx(values[f"fair_mbps.{name}"], rel=within(0.002, real=0.03))
    assert values["jain"] == pytest.approx(1, abs=within(1e-5, real=0.001))
    assert values["queue_drops"] == 0
