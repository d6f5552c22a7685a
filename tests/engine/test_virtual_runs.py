"""A cell's job for a kernel of its own: nothing in it says where p4c and BMv2 are installed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from engine.collect.store import ResultStore
from engine.execute import virtual_runs
from engine.execute.runner import Runner
from engine.plan.job import CellJob
from engine.plan.options import RunOptions
from scenario.run_request import RunRequest
from tests.engine.cells import FILE, experiment
from topo import toolchain
from topo.toolchain import P4INFO_SUFFIX, Toolchain, choose
from virtual_time.file_system.userland import command_inside
from virtual_time.job import Job, Outside

P4C = """#!/bin/sh
for word; do
  [ "$before" = --p4runtime-files ] && echo "{}" > "$word"
  [ "$before" = -o ] && echo "{} ${{word##*/}}" > "$word"
  before=$word
done
"""


class FakeSession:
    """Boots nothing; keeps what it was told."""

    kernel = SimpleNamespace(objects=Path("objects"))
    side_by_side = 1
    inputs = "kernel K"

    def __init__(self) -> None:
        self.commands: Sequence[Path] = ()
        self.kernels: list[str] = []
        self.files: dict[str, bytes] = {}

    def prepare(self, kernel: str, commands: Sequence[Path], programs: Sequence[Path], packages: Sequence[str]) -> FakeSession:
        assert not [*programs, *packages]
        self.commands = commands
        self.kernels.append(kernel)
        return self

    def run(self, job: Job, _outside: Outside, _start: object = None) -> int:
        self.files.update({name: one for name, one in job.files.items() if isinstance(one, bytes)})
        return 1


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeSession:
    fake = FakeSession()
    monkeypatch.setattr(virtual_runs, "Session", fake)
    monkeypatch.setattr(toolchain, "MADE", tmp_path / "build")
    return fake


def handed(
    session: FakeSession, folder: Path, switch: str, compiler: str, *, says: str = "a program", scenario: str = FILE
) -> dict[str, bytes]:
    """The files of a cell, with p4c and BMv2 in a folder."""
    folder.mkdir()
    for name, text in (("p4c-bm2-ss", P4C.format("a description", says)), ("simple_switch_grpc", "")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    options = RunOptions(RunRequest(grpc_base_port=51590), Console(file=io.StringIO()), choose(switch, compiler, str(folder)), virtual=True)
    text = scenario.replace("[10, 80]", "[10]").replace("[5, 9]", "[5]")
    Runner(ResultStore(folder / "results"), options).run([experiment(folder, 1, text)])
    files, session.files = session.files, {}
    return files


@pytest.mark.parametrize("compiler", ["p4c", "embedded"])
def test_where_things_are_installed_is_no_part_of_a_job(session: FakeSession, tmp_path: Path, compiler: str) -> None:
    first = handed(session, tmp_path / "first", "bmv2", compiler)
    assert session.commands == [tmp_path / "first" / "simple_switch_grpc"]
    assert first == handed(session, tmp_path / "second", "bmv2", compiler)
    assert CellJob.model_validate_json(first["cell.json"]).toolchain == Toolchain(
        bmv2=command_inside(Path("simple_switch_grpc")), compiled=Path("/job/compiled") if compiler == "p4c" else None
    )


def test_what_p4c_has_made_of_the_program_goes_with_the_job(session: FakeSession, tmp_path: Path) -> None:
    files = handed(session, tmp_path / "first", "embedded", "p4c")
    assert session.commands == []
    assert files["compiled/nodectl.json"].startswith(b"a program ")
    assert files[f"compiled/nodectl{P4INFO_SUFFIX}"] == b"a description\n"
    assert files != handed(session, tmp_path / "second", "embedded", "p4c", says="another program")


def test_the_embedded_ones_are_inside_already(session: FakeSession, tmp_path: Path) -> None:
    assert handed(session, tmp_path / "first", "embedded", "").keys() == {"cell.json"}
    assert session.commands == []


SHOWN = """
[metrics.late]
metric = "mean_mbps"
of = "A"
from_s = 1

[[tables]]
caption = "What was carried"
value = "late"

[[figures]]
name = "over-time"
caption = "Over time"
panels = [{ series = ["throughput.A"], title = "A" }]

[[claims]]
text = "It carries something."
source = "section 1"
values = { late = "late" }
rule = "late.reno > 1"
"""


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ('"Counting"', '"Another title"'),
        ("What was carried", "Another caption"),
        ("Over time", "Another caption of a figure"),
        ('title = "A"', 'title = "B"'),
        ("It carries something.", "It carries much."),
        ("> 1", "> 2"),
        ('["reno"]', '["cubic", "reno"]'),
    ],
)
def test_how_results_are_shown_is_no_part_of_a_job(session: FakeSession, tmp_path: Path, text: str, instead: str) -> None:
    scenario = FILE + SHOWN
    assert scenario.count(text) == 1
    first = handed(session, tmp_path / "first", "embedded", "", scenario=scenario)
    assert handed(session, tmp_path / "second", "embedded", "", scenario=scenario.replace(text, instead)) == first


@pytest.mark.parametrize(
    ("text", "instead"), [("from_s = 1", "from_s = 2"), ("throughput.A", "rtt.A"), ("duration_s = 4", "duration_s = 5")]
)
def test_what_is_measured_is(session: FakeSession, tmp_path: Path, text: str, instead: str) -> None:
    scenario = FILE + SHOWN
    assert scenario.count(text) == 1
    first = handed(session, tmp_path / "first", "embedded", "", scenario=scenario)
    assert handed(session, tmp_path / "second", "embedded", "", scenario=scenario.replace(text, instead)) != first


def test_cells_run_on_their_kernels_and_do_not_know_them(session: FakeSession, tmp_path: Path) -> None:
    """Each kernel is prepared once. A cell's job is the same on each, so that a difference is the kernel's."""
    usual = handed(session, tmp_path / "first", "embedded", "")
    on_grid = FILE.replace("[10, 80]", '[10]\nkernel = ["7.3", "6.12"]').replace("[run]", '[run]\nkernel = "= kernel"')
    assert handed(session, tmp_path / "second", "embedded", "", scenario=on_grid)["cell.json"] != usual["cell.json"]
    assert session.kernels == ["", "7.3", "6.12"]
    named = FILE.replace("[run]", '[run]\nkernel = "7.3"')
    assert handed(session, tmp_path / "third", "embedded", "", scenario=named) == usual
    assert session.kernels[-1] == "7.3"
