"""The programs that traces speak of are kept with the run, wherever what they include is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from engine.execute.traced_sources import keep_sources
from engine.plan.options import RunOptions
from engine.plan.tracing import SOURCE_NAMES, SOURCES
from hosts.cca.needs import Needs
from hosts.cca.scheme_names import Scheme
from scenario.run_request import RunRequest
from tests.engine.cells import FILE, experiment
from topo import toolchain

OPTIONS = RunOptions(RunRequest(trace="count 3"), Console(quiet=True))
COMMON = "action drop_it(inout standard_metadata_t m) {\n    mark_to_drop(m);\n}\n"
PROGRAM = """#include <core.p4>
#include <v1model.p4>
#include "../common/../common/drop.inc"
struct headers {}
struct metadata {}
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) { state start { transition accept; } }
control V(inout headers h, inout metadata m) { apply {} }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) { apply { drop_it(s); } }
control E(inout headers h, inout metadata m, inout standard_metadata_t s) { apply {} }
control D(packet_out p, in headers h) { apply {} }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a scheme, with a file that it includes in a folder beside its own."""
    file = tmp_path / "programs" / "own.p4"
    file.parent.mkdir()
    file.write_text(PROGRAM)
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "drop.inc").write_text(COMMON)
    monkeypatch.setattr(Scheme, "needs", property(lambda _: Needs(p4_program=str(file))))
    monkeypatch.setattr(toolchain, "MADE", tmp_path / "build")
    return file


def test_what_a_schemes_program_includes_is_kept(program: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    keep_sources(run, experiment(tmp_path).cells(), OPTIONS)
    named: dict[str, Any] = json.loads((run / SOURCES / SOURCE_NAMES).read_text())
    kept = {name: (run / SOURCES / place).read_text() for name, place in named.items()}
    assert kept[str(program)] == PROGRAM
    assert kept[f"{program.parent}/../common/../common/drop.inc"] == COMMON
    assert (run / SOURCES / "nodectl.p4").exists()


def test_those_of_an_earlier_part_of_the_run_stay(program: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    index = run / SOURCES / SOURCE_NAMES
    index.parent.mkdir(parents=True)
    index.write_text('{"/other.p4": "elsewhere/other.p4"}')
    keep_sources(run, experiment(tmp_path).cells(), OPTIONS)
    assert {"/other.p4", str(program)} <= json.loads(index.read_text()).keys()


def test_a_program_of_the_scenarios_is_kept_with_all_that_it_includes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "MADE", tmp_path / "build")
    own = tmp_path / "programs" / "own.p4"
    own.parent.mkdir()
    own.write_text(PROGRAM)
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "drop.inc").write_text(COMMON)
    run = tmp_path / "run"
    keep_sources(run, experiment(tmp_path, text=f'p4 = "{own}"\n{FILE}').cells(), OPTIONS)
    named = json.loads((run / SOURCES / SOURCE_NAMES).read_text())
    assert {str(own), f"{own.parent}/../common/../common/drop.inc"} <= named.keys()
