"""The parts of a run that remain when a processor stood still."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.collect.processor_standstills import Standstill, read_standstills, undisturbed


def test_only_those_that_touch_the_interval_are_read(tmp_path: Path) -> None:
    file = tmp_path / "standstills.csv"
    file.write_text("time_ns,processor,standstill_us\n1000000000,0,2000\n1999000000,1,2000\n3000000000,0,4500\n")
    found = read_standstills(file, 2.0, 3.5)
    assert found is not None
    assert [one.processor for one in found] == [1, 0]
    assert found[1].since_s == pytest.approx(3.0)
    assert found[1].lasted_s == pytest.approx(0.0045)


def test_bins_from_a_standstill_until_its_aftermath_is_over_are_left_out() -> None:
    middles_s = np.arange(10.05, 11.0, 0.1)
    kept = undisturbed(middles_s, 0.1, [Standstill(10.38, 0.005, 0)], aftermath_s=0.04)
    assert list(np.flatnonzero(~kept)) == [3, 4]


def test_without_standstills_every_bin_is_kept() -> None:
    assert undisturbed(np.array([0.05, 0.15]), 0.1, [], aftermath_s=1.0).all()


def test_where_nobody_watched_nothing_is_known() -> None:
    assert read_standstills(None, 2.0, 3.5) is None
