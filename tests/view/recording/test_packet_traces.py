"""Traced packets, put together from the trace of each switch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from common.errors import UserError
from common.installation import PROJECT
from engine.plan.tracing import KNOWN_WORDS, SOURCE_NAMES, SOURCES, trace_filter
from tests.view.recording.synthetic_run import SyntheticRun, dumbbell
from tests.view.recording.synthetic_trace import PROGRAM, add_trace
from view.recording.run_recording import RunRecording


@pytest.fixture
def run(tmp_path: Path) -> SyntheticRun:
    return SyntheticRun(tmp_path / "run", dumbbell())


def test_a_packet_is_followed_from_switch_to_switch(run: SyntheticRun) -> None:
    add_trace(run)
    add_trace(run, number=2, at_s=0.6, identification=8)
    recording = RunRecording(run.whole().folder)
    hops = [one for one in recording.advance() if one["t"] == "hop"]
    assert [(one["switch"], one["label"]) for one in hops] == [
        ("s1", "TCP SYN h1 → h4"), ("s1", "TCP SYN h1 → h4"), ("s2", "TCP SYN h1 → h4"), ("s2", "TCP SYN h1 → h4"),
    ]  # fmt: skip
    assert [one["time_s"] for one in hops] == pytest.approx([0.5, 0.6, 0.52, 0.62])
    assert hops[0]["journey"] == hops[2]["journey"] != hops[1]["journey"] == hops[3]["journey"]
    assert [event["event"] for event in hops[0]["events"]] == ["received", "parser_state", "statement", "table", "sent"]
    assert [one["links"] for one in hops] == [["h1-s1", "s1-s2"]] * 2 + [["s2-h4"]] * 2
    assert recording.header()["sources"] == {"made_up.p4": PROGRAM}


def test_programs_from_elsewhere_have_the_names_of_the_trace(run: SyntheticRun) -> None:
    add_trace(run)
    folder = run.folder / SOURCES
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "own.inc").write_text("own")
    (run.folder / "private").write_text("private")
    names = {"/home/me/../own.inc": "elsewhere/own.inc", "private": "../private", "gone": "elsewhere/gone.p4"}
    (folder / SOURCE_NAMES).write_text(json.dumps(names))
    assert RunRecording(run.whole().folder).header()["sources"] == {"made_up.p4": PROGRAM, "/home/me/../own.inc": "own"}
    (folder / SOURCE_NAMES).write_text('{"/home/me')
    assert RunRecording(run.folder).header()["sources"] == {"elsewhere/own.inc": "own", "made_up.p4": PROGRAM}


def test_the_same_bytes_again_are_another_packet(run: SyntheticRun) -> None:
    add_trace(run)
    add_trace(run, number=2, at_s=1.5)
    hops = [one for one in RunRecording(run.whole().folder).advance() if one["t"] == "hop"]
    assert len({one["journey"] for one in hops}) == 2


def test_what_has_been_told_is_not_told_again(run: SyntheticRun) -> None:
    recording, cell = RunRecording(run.folder), run.cells[0]
    run.begin(cell)
    run.grow(cell, 0.1)
    add_trace(run)
    told = [[one["t"] for one in recording.advance()].count("hop") for _ in range(4)]
    assert told == [0, 2, 0, 0]


def test_damaged_traces_are_said(run: SyntheticRun) -> None:
    add_trace(run)
    with (run.logs(run.cells[0]) / "s1-trace.jsonl").open("a") as stream:
        stream.write("{\n")
    found = list(RunRecording(run.whole().folder).advance())
    assert "logs/run_all_nodectl-1/s1-trace.jsonl: damaged lines are left out" in [one["text"] for one in found if one["t"] == "problem"]
    assert len([one for one in found if one["t"] == "hop"]) == 2


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("", ""),
        ("B", "src 10.0.0.2 dst 10.0.0.5 count 12"),
        ("B udp count 3", "src 10.0.0.2 dst 10.0.0.5 udp count 3"),
        ("src h1 udp", "src 10.0.0.1 udp"),
        ("udp port 4747 count 5", "udp port 4747 count 5"),
    ],
)
def test_what_is_traced(run: SyntheticRun, wanted: str, expected: str) -> None:
    assert trace_filter(wanted, run.description.scenarios) == expected


def test_what_is_nothing_to_trace(run: SyntheticRun) -> None:
    with pytest.raises(UserError, match="neither a transmission nor a word"):
        trace_filter("Z", run.description.scenarios)


def test_the_words_are_the_switches() -> None:
    rust = (PROJECT / "switch/crates/packet-filter/src/lib.rs").read_text() + (
        PROJECT / "switch/crates/v1model/src/trace/filter.rs"
    ).read_text()
    assert [word for word in KNOWN_WORDS if f'"{word}"' not in rust] == []
