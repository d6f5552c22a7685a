"""A scheme's P4 program may be anywhere: it runs in virtual time with all that it includes, wherever that is."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import testbed
from engine.collect.record import INPUTS
from hosts.cca.sources import OWN_FOLDER_VARIABLE, SOURCE_FOLDER
from scenario.run_request import RunRequest
from testbed.prepared_run import carry_out, prepare
from tests.harness.long_tests import only_long
from tests.harness.switches import REPOSITORY
from tests.virtual_time.inside import needs_virtual_time
from view.recording.run_recording import RunRecording

pytestmark = needs_virtual_time

SCENARIO = {
    "title": "A program from elsewhere",
    "topology": {
        "kind": "dumbbell",
        "pairs": 1,
        "access": {"rate_mbps": 50, "delay_ms": 1},
        "bottleneck": {"rate_mbps": 10, "delay_ms": 2},
    },
    "transmissions": [{"name": "A", "sender": "h1", "receiver": "h2"}],
    "run": {"duration_s": 2, "schemes": ["mine"]},
}


def write_scheme(folder: Path, program: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "mine.bpf.c").write_text((SOURCE_FOLDER / "template.c").read_text().replace("mycca", "mine"))
    (folder / "mine.toml").write_text(f'p4_program = "{program}"\n')


def write_program(file: Path) -> None:
    """The testbed's program that marks, with its included files in a folder beside its own, one of it named from the root."""
    common = file.parents[1] / "common"
    file.parent.mkdir()
    shutil.copytree(REPOSITORY / "p4src", common)
    text = re.sub(r'#include "(?=ports)', f'#include "{common}/', (common / "ecn.p4").read_text())
    text = re.sub(r'#include "(?=forwarding|router)', '#include "../common/', text)
    assert (text.count(str(common)), text.count("../common")) == (1, 2)
    file.write_text(text)


@only_long
@pytest.mark.parametrize("is_absolute", [pytest.param(True, id="from the root"), pytest.param(False, id="from the scheme's file")])
def test_it_runs_with_what_it_includes(*, is_absolute: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "programs" / "own.p4"
    write_program(program)
    write_scheme(tmp_path / "schemes", str(program) if is_absolute else "../programs/own.p4")
    monkeypatch.setenv(OWN_FOLDER_VARIABLE, str(tmp_path / "schemes"))
    result = testbed.run(SCENARIO, time="virtual", folder=tmp_path / "results")
    assert result.throughput["throughput_mbps"].max() > 8
    assert all(", program " in record.facts[INPUTS] for record in result.records), "it was compiled before the run"


def test_its_trace_has_every_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "programs" / "own.p4"
    write_program(program)
    write_scheme(tmp_path / "schemes", str(program))
    monkeypatch.setenv(OWN_FOLDER_VARIABLE, str(tmp_path / "schemes"))
    done = carry_out(prepare(RunRequest(time="virtual", trace="A"), SCENARIO), tmp_path / "results")
    shutil.rmtree(tmp_path / "common")  # its sources may be gone
    sources = RunRecording(done.folder).header()["sources"]
    traces = done.folder.rglob("*-trace.jsonl")
    events = [json.loads(line) for trace in traces for line in trace.read_text(encoding="utf-8").splitlines()]
    places = {(event["source"]["file"], event["source"]["line"], event["source"]["text"]) for event in events if event.get("source")}
    assert {Path(file).name for file, _, _ in places} >= {"own.p4", "forwarding.p4"}, "of both folders"
    for file, line, text in places:
        assert "".join(text.split())[:12] in "".join("".join(sources[file].splitlines()[line - 1 :]).split())


def test_one_that_is_not_there_is_said_before_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_scheme(tmp_path, "/nowhere/own.p4")
    monkeypatch.setenv(OWN_FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(testbed.TestbedError, match=r"scheme mine: there is no P4 program /nowhere/own\.p4"):
        testbed.run(SCENARIO, time="virtual", folder=tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_one_that_does_not_compile_is_said_in_the_compilers_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "own.p4"
    program.write_text("#include <core.p4>\nnonsense")
    write_scheme(tmp_path / "schemes", str(program))
    monkeypatch.setenv(OWN_FOLDER_VARIABLE, str(tmp_path / "schemes"))
    with pytest.raises(testbed.TestbedError, match=rf"cannot compile {program}"):
        testbed.run(SCENARIO, time="virtual", folder=tmp_path / "results")
