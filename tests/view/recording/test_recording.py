"""A run's folder, read while it grows, afterwards, and when it is damaged."""

from __future__ import annotations

import json
import os
import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from common.errors import UserError
from tests.view.recording.synthetic_queues import DROPS_A_SAMPLE, HEADER, INTERVAL_S, LAST_CHANGE_S, LONG, LONG_PACKETS, SHORT, add_queues
from tests.view.recording.synthetic_run import BEGIN_S, SyntheticRun, dumbbell
from view.recording.cell_recording import bin_width_s
from view.recording.curves import CellCurves
from view.recording.run_recording import RunRecording, newest_run

BOTTLENECK = "s1-s2"


@pytest.fixture
def run(tmp_path: Path) -> SyntheticRun:
    return SyntheticRun(tmp_path / "run", dumbbell())


def messages(recording: RunRecording, kind: str) -> list[dict[str, Any]]:
    return [message for message in recording.advance() if message["t"] == kind]


def test_a_finished_run_is_read_whole(run: SyntheticRun) -> None:
    recording = RunRecording(run.whole().folder)
    found = list(recording.advance())
    assert recording.is_over
    assert found[0]["t"] == "begin"
    assert found[-1]["t"] == "result"
    ports = next(one for one in found if one["t"] == "ports")
    assert ports["bins"] == 120  # 6 s in bins of 50 ms
    assert ports["series"][BOTTLENECK]["rate"][10] == pytest.approx(36_000, rel=0.01)
    assert max(ports["series"][BOTTLENECK]["queue"]) == 10
    flows = next(one for one in found if one["t"] == "flows")
    assert flows["series"]["A"][BOTTLENECK]["rate"][100] == pytest.approx(12_000, rel=0.01)
    assert "h1>s1" not in flows["series"]["A"], "what is modelled before a switch is no port's"
    senders = {one["name"]: one["curves"] for one in found if one["t"] == "sender"}
    assert set(senders) == {"A", "B", "C"}
    assert senders["C"]["rtt_ms"][10] is None
    assert senders["C"]["rtt_ms"][100] == 61.0


def test_each_queue_of_a_link_has_curves(run: SyntheticRun) -> None:
    cell = run.whole().cells[0]
    switch, port, _ = next(where for where, name in run.network.by_port.items() if name == BOTTLENECK)
    add_queues(run, cell, switch, port)
    found = [one for one in RunRecording(run.folder).advance() if one.get("cell") == cell.key and one["t"] in ("ports", "queues")]
    bins = {kind: sum(one["bins"] for one in found if one["t"] == kind) for kind in ("ports", "queues")}
    assert bins["queues"] == bins["ports"], "queues stay as they are where no line tells a change"
    queue: dict[int, list[int]] = {SHORT: [], LONG: []}
    dropped = 0
    for one in found:
        for number, curves in one["series"].get(BOTTLENECK, {}).items() if one["t"] == "queues" else ():
            queue[int(number)] += curves.get("queue", [])
            dropped += sum(curves.get("dropped", []))
    assert set(queue[LONG][1:]) == {LONG_PACKETS}, "from the first sample on"
    assert set(queue[SHORT][1:]) == {1}
    assert dropped == pytest.approx(DROPS_A_SAMPLE * LAST_CHANGE_S / INTERVAL_S, abs=2 * DROPS_A_SAMPLE)


@pytest.mark.parametrize("line", ["1,s1,4,x,1,2,3,4,5", "1,s1,4,0,1,2,3,4", "?"])
def test_a_damaged_line_of_a_queue_is_left_out(run: SyntheticRun, line: str) -> None:
    cell = run.whole().cells[0]
    (run.logs(cell) / "queues.csv").write_text(f"{HEADER}\n{line}\n")
    (problem,) = messages(RunRecording(run.folder), "problem")
    assert "queues.csv: 1 damaged lines are left out" in problem["text"]


def test_a_list_follows_from_the_controllers_words(run: SyntheticRun) -> None:
    lines = [
        line for message in messages(RunRecording(run.whole().folder), "said") for line in message["lines"] if line["at"] == BOTTLENECK
    ]
    assert [line["shares"] for line in lines] == [
        {"A": 36.0}, {"A": 18.0, "B": 18.0}, {"A": 12.0, "B": 12.0, "C": 12.0}
    ]  # fmt: skip
    assert [line["time_s"] for line in lines] == pytest.approx([0.0, 2.0, 4.0], abs=0.02)
    assert lines[2]["text"] == "s1 port 4: C admitted at 12.0 Mbit/s, A reduced 18.0 → 12.0, B reduced 18.0 → 12.0"


def test_a_run_is_read_as_it_grows(run: SyntheticRun) -> None:
    recording, cell = RunRecording(run.folder), run.cells[0]
    assert list(recording.advance()) == []
    run.begin(cell)
    run.grow(cell, 1.0)
    first = list(recording.advance())
    assert [one["t"] for one in first] == ["begin", "ports", "flows", "said", "sender"]
    assert first[1]["bins"] == 20
    assert first[4] | {"curves": {}} == {"t": "sender", "name": "A", "at": 0, "curves": {}, "cell": cell.key}
    assert first[4]["curves"]["rtt_ms"] == [61.0] * 19, "the bin that the last row is in may get another one"
    assert list(recording.advance()) == []
    run.grow(cell, 2.5)
    second = {one["t"]: one for one in recording.advance()}
    assert (second["ports"]["at"], second["ports"]["bins"]) == (20, 30)
    assert second["said"]["lines"][0]["text"].startswith("s1 port 4: B admitted")
    assert not recording.is_over
    run.grow(cell, 6.0)
    run.finish(cell)
    assert [one["t"] for one in recording.advance()][-1] == "result"
    assert recording.is_over


def test_growing_and_finished_give_the_same(run: SyntheticRun) -> None:
    growing, cell = RunRecording(run.folder), run.cells[0]
    run.begin(cell)
    rates: list[int] = []
    for tenth in range(1, 61):
        run.grow(cell, tenth / 10)
        for message in messages(growing, "ports"):
            at = message["at"]
            assert at == len(rates)
            rates += message["series"].get(BOTTLENECK, {}).get("rate", [0] * message["bins"])
    run.finish(cell)
    whole = messages(RunRecording(run.folder), "ports")
    assert rates == [value for message in whole for value in message["series"][BOTTLENECK]["rate"]]


def test_what_senders_see_grows_and_is_the_same_in_the_end(run: SyntheticRun) -> None:
    cell, recording = run.cells[0], RunRecording(run.folder)
    growing, whole = (CellCurves(cell.key, cell.scheme, run.network) for _ in range(2))
    run.begin(cell)
    for tenth in range(1, 61):
        run.grow(cell, tenth / 10)
        for message in recording.advance():
            growing.take(message)
    before = deepcopy(growing.senders)
    assert len(before["A"]["window"]) == 119
    assert before["C"]["rtt_ms"][78:80] == [None, 61.0], "its first sample is at 4 s"
    run.finish(cell)
    for message in recording.advance():
        growing.take(message)
    for message in RunRecording(run.folder).advance():
        whole.take(message)
    assert growing.senders == whole.senders
    for name, curves in before.items():
        for kind, curve in curves.items():
            assert curve == whole.senders[name][kind][: len(curve)]


def test_half_a_line_waits_for_its_other_half(run: SyntheticRun) -> None:
    cell = run.cells[0]
    run.begin(cell)
    run.grow(cell, 1.0)
    file = run.logs(cell) / "ports.csv"
    content = file.read_bytes()
    file.write_bytes(content[:-7])
    recording = RunRecording(run.folder)
    found = list(recording.advance())
    assert not [one for one in found if one["t"] == "problem"]
    file.write_bytes(content)
    run.grow(cell, 1.2)
    assert not messages(recording, "problem")


def test_a_repeated_attempt_begins_anew(run: SyntheticRun) -> None:
    recording, cell = RunRecording(run.folder), run.cells[0]
    run.begin(cell)
    run.grow(cell, 1.0)
    assert messages(recording, "begin")
    run.begin(cell, attempt=2, begin_s=BEGIN_S + 0.5)
    again = list(recording.advance())
    assert [one["t"] for one in again][:2] == ["begin", "ports"]
    assert again[1]["at"] == 0


def test_damaged_lines_are_said_and_left_out(run: SyntheticRun) -> None:
    cell = run.whole().cells[0]
    file = run.logs(cell) / "ports.csv"
    lines = file.read_text().splitlines()
    lines[500:503] = ["x" * 30, "1,2,3", "\x00\x00"]
    file.write_text("\n".join(lines) + "\n")
    found = list(RunRecording(run.folder).advance())
    assert [one["text"] for one in found if one["t"] == "problem"] == [
        "logs/run_all_nodectl-1/ports.csv: 3 damaged lines are left out"
    ]  # fmt: skip
    assert found[-1]["t"] == "result"


def test_a_damaged_result_ends_its_cell_alone(tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", dumbbell(["nodectl", "cubic"])).whole()
    (run.folder / "cells" / f"{run.cells[0].key}.json").write_text("{")
    results = {one["cell"]: one for one in RunRecording(run.folder).advance() if one["t"] == "result"}
    assert results[run.cells[0].key]["failure"] == "cells/run/all/nodectl-1.json is damaged"
    assert results[run.cells[1].key]["failure"] is None


def test_damaged_senders_are_said(run: SyntheticRun) -> None:
    cell = run.whole().cells[0]
    (run.samples(cell) / "sender-B.csv").write_text("time_ns,srtt_us\nx,y\n")
    found = list(RunRecording(run.folder).advance())
    assert [one["text"] for one in found if one["t"] == "problem"] == ["scratch/run_all_nodectl-1-attempt1/sender-B.csv is damaged"]
    assert {one["name"] for one in found if one["t"] == "sender"} == {"A", "C"}


def test_results_without_samples_are_said(run: SyntheticRun) -> None:
    cell = run.cells[0]
    run.finish(cell)
    for file in run.samples(cell).iterdir():
        file.unlink()
    assert [one["t"] for one in RunRecording(run.folder).advance()] == ["problem", "result"]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("{", "is damaged: it is no complete JSON"),
        ("[]", "is damaged: it is no complete JSON"),
        (json.dumps({"format": 0}), "has format 0, and this version of the testbed reads format 1"),
        (json.dumps({"format": 1}), "is damaged: top of the file, key `name`: the key is missing"),
    ],
)
def test_a_description_that_cannot_be_read_is_one_line(run: SyntheticRun, content: str, what: str) -> None:
    (run.folder / "run.json").write_text(content)
    with pytest.raises(UserError) as raised:
        RunRecording(run.folder)
    assert what in raised.value.what
    assert "\n" not in raised.value.what


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"format": 9}, "has format 9, and this version of the testbed reads format 1"),
        ({"cells": []}, "is damaged: top of the file, key `cells`: "),
        ({"scenarios": []}, "is damaged: run/all/nodectl-1: there is no scenario 0"),
        ({"wall_clock_s": 1e300}, "is damaged: top of the file, key `wall_clock_s`: "),
    ],
)
def test_a_description_that_contradicts_itself_is_one_line(run: SyntheticRun, changed: dict[str, Any], what: str) -> None:
    file = run.folder / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changed))
    with pytest.raises(UserError) as raised:
        RunRecording(run.folder)
    assert what in raised.value.what
    assert "\n" not in raised.value.what


def test_a_description_stays_in_its_folder(run: SyntheticRun) -> None:
    file = run.folder / "run.json"
    file.write_text(file.read_text().replace('"logs/', '"../logs/'))
    with pytest.raises(UserError, match="is not in the run's folder"):
        RunRecording(run.folder)


def test_a_result_without_logs_is_said(run: SyntheticRun) -> None:
    cell = run.whole().cells[0]
    shutil.rmtree(run.folder / cell.logs)
    found = list(RunRecording(run.folder).advance())
    assert [one["text"] for one in found if one["t"] == "problem"] == [f"{cell.logs}/ports.csv: there are no samples of the links"]
    assert found[-1]["t"] == "result"


def test_folders_that_are_no_runs_say_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no folder"):
        RunRecording(tmp_path / "nothing")
    with pytest.raises(UserError, match="is no run's folder"):
        RunRecording(tmp_path)
    (tmp_path / "cells").mkdir()
    with pytest.raises(UserError, match="of an older version"):
        RunRecording(tmp_path)


def test_long_runs_have_wider_bins() -> None:
    assert bin_width_s(21) == 0.05
    assert bin_width_s(75) == 0.05
    assert bin_width_s(76) == 0.1
    assert 3600 / bin_width_s(3600) <= 1500


def test_a_labs_folder_means_its_newest_run(tmp_path: Path) -> None:
    first, second = (SyntheticRun(tmp_path / "lab" / name, dumbbell()) for name in ("run-a", "run-b"))
    os.utime(second.folder / "run.json", (2e9, 2e9))
    assert newest_run(tmp_path / "lab") == second.folder
    assert newest_run(first.folder) == first.folder
    assert newest_run(tmp_path / "nothing") == tmp_path / "nothing"
