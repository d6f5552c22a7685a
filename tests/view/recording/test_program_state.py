"""The state of programs, read from a run's folder: whole, as it grows, from before the run, and damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.view.recording.synthetic_run import BEGIN_S, SyntheticRun, dumbbell
from tests.view.recording.synthetic_state import COUNTER, LARGE, REGISTER, TABLE, add_state, lpm, tell
from topo.switch_files import STATE_FILE
from view.recording.program_state import ProgramState
from view.recording.run_recording import RunRecording


@pytest.fixture
def run(tmp_path: Path) -> SyntheticRun:
    return SyntheticRun(tmp_path / "run", dumbbell())


def states(recording: RunRecording) -> list[dict[str, Any]]:
    return [message for message in recording.advance() if message["t"] == "state"]


def test_what_was_before_the_run_is_told_at_its_start(run: SyntheticRun) -> None:
    add_state(run)
    first, other, *later = states(RunRecording(run.whole().folder))
    assert (first["switch"], first["time_s"], other["switch"], other["time_s"]) == ("s1", 0, "s2", 0)
    tables = {one["name"]: one for one in first["tables"]}
    assert tables[TABLE]["hits"] == 3, "as it was told last"
    assert tables[TABLE]["default"] == "MyIngress.drop()", "as it was told before"
    assert [one["id"] for one in tables[TABLE]["described"]] == [1, 2]
    assert tables[LARGE]["entries"] == 40_000
    assert first["counters"] == [{"name": COUNTER, "in_use": 1, "shown": [[2, 3, 300]]}]
    assert [one["time_s"] for one in later] == [step / 2 for step in range(1, 12)]
    assert later[0]["registers"][0]["name"] == REGISTER
    assert later[0]["cell"] == run.cells[0].key


def test_it_is_read_as_it_grows(run: SyntheticRun) -> None:
    cell = run.cells[0]
    run.begin(cell)
    recording = RunRecording(run.folder)
    assert states(recording) == []
    tell(run, 1.0, tables=[lpm((1, 0), misses=0)])
    assert [one["tables"][0]["hits"] for one in states(recording)] == [1]
    assert states(recording) == []
    tell(run, 1.5, tables=[lpm((2, 0), misses=0)])
    assert [one["tables"][0]["hits"] for one in states(recording)] == [2]


def test_damaged_lines_are_left_out_and_said(run: SyntheticRun) -> None:
    tell(run, 0.5, tables=[lpm((1, 0), misses=0)])
    with (run.logs(run.cells[0]) / STATE_FILE).open("a") as stream:
        stream.write('{"time_ns": 1\n[]\n{"time_ns": "x", "switch": "s1"}\n{"time_ns": 1, "switch": "s1", "tables": [5]}\n')
    tell(run, 0.7, tables=[lpm((2, 0), misses=0)])
    messages = list(RunRecording(run.whole().folder).advance())
    assert [one["time_s"] for one in messages if one["t"] == "state"] == [0.5, 0.7]
    assert [one["text"] for one in messages if one["t"] == "problem"] == [
        f"{run.cells[0].logs}/{STATE_FILE}: damaged lines are left out"
    ]  # fmt: skip


def test_a_new_program_makes_what_was_told_before_void() -> None:
    def line(time_s: float, **told: Any) -> bytes:
        return json.dumps({"time_ns": round((BEGIN_S + time_s) * 1e9), "switch": "s1", **told}).encode()

    table = {"name": TABLE, "entries": 0, "hits": 0, "misses": 0, "shown": []}
    lines = [line(-3, program={"tables": ["old"]}, tables=[table]), line(-2, program={"tables": ["new"]}), line(20, tables=[table])]
    (told,) = ProgramState(BEGIN_S, BEGIN_S + 10).take(lines)
    assert told == {"time_s": 0.0, "switch": "s1", "program": {"tables": ["new"]}}, "and what is behind the end is left out"
