"""The counts of ENTRIES=1, and their table."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.collect.entries import FILE, Entry, EntryCounter, EntryCounts
from engine.collect.record import CellRecord
from engine.collect.system_calls import name_of
from reports.summary.entries import entries_table

BEFORE = "10 39 python3\n4 fault python3\n7 39 a program\n"
AFTER = "30 39 python3\n5 fault python3\n7 39 a program\n1 map p4switch\n"


def test_bring_up_and_run_are_told_apart(tmp_path: Path) -> None:
    counted = tmp_path / "entries"
    counted.write_text(BEFORE)
    counter = EntryCounter(counted)
    counted.write_text(AFTER)
    counter.close(10, tmp_path)
    found = EntryCounts.kept_in(tmp_path)
    assert found is not None
    assert found.frames == 10
    assert Entry(program="python3", cause="39", bring_up=10, run=20) in found.entries
    assert Entry(program="a program", cause="39", bring_up=7, run=0) in found.entries
    assert Entry(program="p4switch", cause="map", bring_up=0, run=1) in found.entries


def test_nothing_is_kept_where_the_kernel_does_not_count(tmp_path: Path) -> None:
    EntryCounter(tmp_path / "entries").close(10, tmp_path)
    assert EntryCounts.kept_in(tmp_path) is None


@pytest.mark.parametrize(("frames", "each"), [(10, "2.10"), (0, "")])
def test_the_table_has_the_programs_that_were_entered_most(tmp_path: Path, frames: int, each: str) -> None:
    record = CellRecord(experiment="one", scheme="reno", repetition=1, parameters={})
    logs = tmp_path / "logs" / "one_all_reno-1"
    logs.mkdir(parents=True)
    entries = [
        Entry(program="python3", cause="39", bring_up=10, run=20),
        Entry(program="python3", cause="fault", bring_up=1, run=1),
        Entry(program="init", cause="map", bring_up=500, run=0),
    ]
    (logs / FILE).write_text(EntryCounts(frames=frames, entries=entries).model_dump_json())
    table = entries_table([record], tmp_path)
    assert table is not None
    assert [row[1] for row in table.rows] == ["init", "python3", "all programs"]
    assert list(table.rows[1][2:]) == [f"20 {name_of('39')}, 1 fault", "11", "21", each]
    assert entries_table([record], tmp_path / "elsewhere") is None
