"""A run over many cells: shared networks, resumed after an interruption, other cells go on when one cannot be measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from common.errors import UserError
from engine.collect.record import CellRecord
from engine.collect.run_data import RunData
from engine.collect.store import ResultStore
from engine.execute import runs_on_this_kernel
from engine.execute.runner import Runner
from engine.plan.cell import Cell
from engine.plan.options import RunOptions
from hosts.cca.scheme_names import Scheme
from scenario.run_request import RunRequest
from tests.engine.cells import experiment, run_data


class FakeNetwork:
    started: list[str]
    missing: dict[str, str]

    def __init__(self, _testbed: object) -> None:
        self.is_broken = False

    def __enter__(self) -> FakeNetwork:
        FakeNetwork.started.append("network")
        return self

    def __exit__(self, *_: object) -> None:
        self.is_broken = True

    def why_missing(self, scheme: Scheme) -> str | None:
        return FakeNetwork.missing.get(scheme.text)


class FakeCellRun:
    measured: list[str]
    trouble: dict[str, BaseException]

    def __init__(self, network: FakeNetwork, cell: Cell, _folder: Path, on_progress: Any) -> None:
        assert not network.is_broken
        self.cell = cell
        on_progress(1.0)

    def carry_out(self) -> RunData:
        if self.cell.key in FakeCellRun.trouble:
            raise FakeCellRun.trouble.pop(self.cell.key)
        FakeCellRun.measured.append(self.cell.key)
        return run_data()


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeNetwork.started, FakeNetwork.missing, FakeCellRun.measured, FakeCellRun.trouble = [], {}, [], {}
    monkeypatch.setattr(runs_on_this_kernel, "RunningNetwork", FakeNetwork)
    monkeypatch.setattr(runs_on_this_kernel, "CellRun", FakeCellRun)
    monkeypatch.setattr(runs_on_this_kernel, "make_testbed", lambda *_, **_more: None)
    monkeypatch.setattr(runs_on_this_kernel, "_worked_up", lambda task, _run: CellRecord.of(task.cell, values={"x": 1.0}))


def run(folder: Path, repetitions: int = 1) -> None:
    Runner(ResultStore(folder), RunOptions(RunRequest(grpc_base_port=51590), Console(quiet=True))).run([experiment(folder, repetitions)])


KEYS = [f"counting/rate={rate},delay_ms={delay}/reno-1" for rate in (10, 80) for delay in (5, 9)]


def test_cells_of_one_network_are_measured_together(tmp_path: Path) -> None:
    run(tmp_path)
    assert FakeCellRun.measured == KEYS
    assert len(FakeNetwork.started) == 2


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    FakeCellRun.trouble[KEYS[2]] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    assert FakeCellRun.measured == KEYS[:2]
    run(tmp_path)
    run(tmp_path)
    assert FakeCellRun.measured == KEYS
    run(tmp_path, repetitions=2)
    assert FakeCellRun.measured[4:] == [key.replace("reno-1", "reno-2") for key in KEYS]


def test_a_cell_that_cannot_be_measured_costs_its_network_only(tmp_path: Path) -> None:
    FakeCellRun.trouble[KEYS[0]] = UserError("the agent on h1 has ended")
    run(tmp_path)
    assert FakeCellRun.measured == KEYS[1:]
    assert len(FakeNetwork.started) == 3
    failed = ResultStore(tmp_path).load(experiment(tmp_path).cells()[0])
    assert failed is not None
    assert "h1 has ended" in (failed.failure or "")
    run(tmp_path)
    assert FakeCellRun.measured[-1] == KEYS[0]


def test_a_scheme_that_the_machine_cannot_have_is_left_out(tmp_path: Path) -> None:
    FakeNetwork.missing = {"reno": "this kernel does not have it"}
    run(tmp_path)
    assert FakeCellRun.measured == []
    record = ResultStore(tmp_path).load(experiment(tmp_path).cells()[0])
    assert record is not None
    assert record.failure == "left out: this kernel does not have it"
    assert record.is_left_out
    FakeNetwork.missing = {}
    run(tmp_path)
    assert FakeCellRun.measured == KEYS


def test_one_failure_after_the_other_ends_the_run(tmp_path: Path) -> None:
    FakeCellRun.trouble = {key: UserError("nothing works") for key in KEYS}
    with pytest.raises(UserError, match="nothing works"):
        run(tmp_path)
    assert len(FakeCellRun.trouble) == 1
