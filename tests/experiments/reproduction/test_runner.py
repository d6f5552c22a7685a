"""A run over many cells: shared networks, resumed after an interruption, other cells go on when one cannot be measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from experiments.reproduction import runner as runner_module
from experiments.reproduction.cell import Cell, Measurement
from experiments.reproduction.document import Block
from experiments.reproduction.experiment import Effort, Experiment, NetworkSpec
from experiments.reproduction.results import Results
from experiments.reproduction.runner import Runner, plan_jobs
from experiments.reproduction.store import ResultStore
from protocol.errors import UserError
from tests.experiments.reproduction.test_store import verdict
from topo.network_plan import NetworkPlan


class Counting(Experiment):
    """Four cells on two networks; remembers what it measured, and does what it is told at one of them."""

    name, title, source = "counting", "Counting", "nowhere"

    def __init__(self) -> None:
        self.measured: list[str] = []
        self.trouble: dict[str, BaseException] = {}

    def cells(self, effort: Effort) -> list[Cell]:
        return [Cell(self.name, "reno", r, {"rate": rate}) for r in range(1, effort.repetitions + 1) for rate in (10, 80)]

    def network(self, cell: Cell) -> NetworkSpec:
        return NetworkSpec(f"net{cell['rate']}", lambda _port: NetworkPlan())

    def duration_s(self, cell: Cell) -> float:
        return 1.0

    def measure(self, network: Any, cell: Cell, folder: Path) -> Measurement:
        assert network.is_up
        if cell.key in self.trouble:
            raise self.trouble.pop(cell.key)
        self.measured.append(cell.key)
        return Measurement(verdict(True), {"x": 1.0})

    def report(self, results: Results) -> list[Block]:
        return []


class FakeNetwork:
    started: list[str]
    missing: dict[str, str]

    def __init__(self, _testbed: object) -> None:
        self.is_up = False

    def __enter__(self) -> FakeNetwork:
        self.is_up = True
        FakeNetwork.started.append("network")
        return self

    def __exit__(self, *_: object) -> None:
        self.is_up = False

    def restore_links(self) -> None:
        assert self.is_up

    def why_missing(self, scheme: str) -> str | None:
        return FakeNetwork.missing.get(scheme)


@pytest.fixture
def experiment(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counting]:
    FakeNetwork.started, FakeNetwork.missing = [], {}
    monkeypatch.setattr(runner_module, "RunningNetwork", FakeNetwork)
    monkeypatch.setattr(Runner, "_testbed", lambda _self, _spec: None)
    return Counting()  # type: ignore[return-value]


def run(experiment: Counting, folder: Path, repetitions: int = 2) -> None:
    jobs = plan_jobs([experiment], Effort(repetitions=repetitions))
    Runner(ResultStore(folder), grpc_base_port=51590, console=Console(quiet=True)).run(jobs)


KEYS = ["counting/rate=10/reno-1", "counting/rate=10/reno-2", "counting/rate=80/reno-1", "counting/rate=80/reno-2"]


def test_cells_of_one_network_are_measured_together(experiment: Counting, tmp_path: Path) -> None:
    run(experiment, tmp_path)
    assert experiment.measured == KEYS
    assert len(FakeNetwork.started) == 2


def test_an_interrupted_run_goes_on_where_it_was(experiment: Counting, tmp_path: Path) -> None:
    experiment.trouble[KEYS[2]] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        run(experiment, tmp_path)
    assert experiment.measured == KEYS[:2]
    run(experiment, tmp_path)
    assert experiment.measured == KEYS
    run(experiment, tmp_path)
    assert experiment.measured == KEYS
    run(experiment, tmp_path, repetitions=3)
    assert experiment.measured[4:] == ["counting/rate=10/reno-3", "counting/rate=80/reno-3"]


def test_a_cell_that_cannot_be_measured_costs_its_network_only(experiment: Counting, tmp_path: Path) -> None:
    experiment.trouble[KEYS[0]] = UserError("the sender on h1 has ended")
    run(experiment, tmp_path)
    assert experiment.measured == KEYS[1:]
    store = ResultStore(tmp_path)
    failed = store.load(Cell("counting", "reno", 1, {"rate": 10}))
    assert failed is not None
    assert "h1 has ended" in (failed.failure or "")
    run(experiment, tmp_path)
    assert experiment.measured[-1] == KEYS[0]


def test_a_scheme_that_the_machine_cannot_have_is_left_out(experiment: Counting, tmp_path: Path) -> None:
    FakeNetwork.missing = {"reno": "this kernel does not have it"}
    run(experiment, tmp_path)
    assert experiment.measured == []
    record = ResultStore(tmp_path).load(Cell("counting", "reno", 1, {"rate": 10}))
    assert record is not None
    assert record.failure == "left out: this kernel does not have it"
    FakeNetwork.missing = {}
    run(experiment, tmp_path)
    assert experiment.measured == KEYS


def test_one_failure_after_the_other_ends_the_run(experiment: Counting, tmp_path: Path) -> None:
    experiment.trouble = {key: UserError("nothing works") for key in KEYS}
    with pytest.raises(UserError, match="nothing works"):
        run(experiment, tmp_path)
    assert len(experiment.trouble) == 1
