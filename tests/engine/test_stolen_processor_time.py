"""Time that the hypervisor gave to others."""

from __future__ import annotations

from pathlib import Path

from engine.collect.fidelity import judge
from engine.collect.stolen_processor_time import StolenTimeMeter


def test_the_stolen_part_of_the_time_since_the_beginning(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 0 100 700 0 0 0 100 50 0\ncpu0 1 2 3\n")
    meter = StolenTimeMeter(stat)
    assert meter.share() == 0.0
    stat.write_text("cpu  150 0 100 1300 10 20 20 400 90 0\ncpu0 1 2 3\n")
    assert meter.share() == 0.3


def test_without_the_file_nothing_is_said(tmp_path: Path) -> None:
    assert StolenTimeMeter(tmp_path / "none").share() == 0.0


def test_the_verdict_names_it_but_does_not_reject_for_it() -> None:
    assert "12 % of the processors' time stolen" in str(judge([], steal_share=0.12))
    assert "stolen" not in str(judge([], steal_share=0.001))
