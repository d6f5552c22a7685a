"""Verdicts over queues in P4 and Linux's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.validation import disciplines, tables
from bench.validation.disciplines import Comparison, Queue, Setting, Verdict

MEAN = disciplines.QUEUE_VALUES["mean wait, ms"]


def queues(means: Sequence[float]) -> list[Queue]:
    return [Queue(mean, 10 * mean, 1.0) for mean in means]


def compared(switch: Sequence[float], router: Sequence[float]) -> Comparison:
    return Comparison(Setting("codel", 20, 10), queues(switch), queues(router))


@pytest.mark.parametrize(
    ("switch", "router", "verdict"),
    [
        ([100, 101, 102], [100, 101, 102], Verdict.ALIKE),
        ([110, 111, 112], [100, 101, 102], Verdict.APART),
        ([90, 91, 92], [100, 101, 102], Verdict.APART),
        ([60, 100, 140], [100, 101, 102], Verdict.UNDECIDED),
        ([100], [100], Verdict.UNDECIDED),  # one run each has no interval
    ],
)
def test_the_interval_of_the_difference_decides(switch: Sequence[float], router: Sequence[float], verdict: Verdict) -> None:
    assert compared(switch, router).differs(MEAN) is verdict


def test_a_table_counts_its_verdicts() -> None:
    table = tables.disciplines([compared([110, 111, 112], [100, 101, 102]), compared([100, 101, 102], [100, 101, 102])])
    assert isinstance(table.caption, str)
    assert "mean wait, ms: 1 within 5 %, 0 with an interval over that bound, 1 apart" in table.caption
    assert table.caption.endswith("differ by at most 5 %: mean wait, ms 1, p99, ms 1, dropped, % 2")
    assert [list(column.cells) for column in table.columns][-1] == ["mean wait, ms, p99, ms", ""]


def test_runs_of_a_setting_follow_one_another() -> None:
    settings = [Setting("pie", 20, 1), Setting("red", 20, 1)]
    repeated = disciplines.of_seeds(settings, 2)
    assert [(one.name, one.seed) for one in repeated] == [("pie", 1), ("pie", 2), ("red", 1), ("red", 2)]
    switches, routers = queues([0, 1, 2, 3]), queues([0, 10, 20, 30])
    first, second = disciplines.comparisons(settings, list(zip(switches, routers, strict=True)))
    assert [queue.mean_ms for queue in first.switch] == [0, 1]
    assert [queue.mean_ms for queue in second.router] == [20, 30]


def test_what_is_kept_is_not_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def through_switch(setting: Setting, folder: Path) -> Queue:
        asked.append(f"switch {setting.seed}")
        return Queue(1, 2, 3, {"cubic": 4}, {"cubic": 5})

    def through_router(setting: Setting, folder: Path) -> Queue:
        asked.append(f"router {setting.seed}")
        return Queue(6, 7, 8)

    monkeypatch.setattr(disciplines, "through_switch", through_switch)
    monkeypatch.setattr(disciplines, "through_router", through_router)
    one, another = disciplines.of_seeds([Setting("pie", 20, 1)], 2)
    first = disciplines.measured(one, tmp_path / "kept")
    assert first == disciplines.measured(one, tmp_path / "kept") == (Queue(1, 2, 3, {"cubic": 4}, {"cubic": 5}), Queue(6, 7, 8))
    assert asked == ["switch 1", "router 1"]
    disciplines.measured(another, tmp_path / "kept")
    assert asked[2:] == ["switch 2", "router 2"]
    pairs = {"pie": disciplines.PAIRS["pie"]._replace(in_p4="pie(target_ms=7)")}
    monkeypatch.setattr(disciplines, "PAIRS", pairs)
    disciplines.measured(one, tmp_path / "kept")
    assert asked[4:] == ["switch 1"]  # with other parameters it is another measurement
