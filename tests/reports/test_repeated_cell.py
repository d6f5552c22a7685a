"""One cell measured again, and the comparison of its samples."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from common.errors import UserError
from engine.collect.record import SAMPLES, CellRecord
from engine.collect.store import ResultStore
from engine.execute.virtual_runs import VirtualRuns
from engine.plan.options import RunOptions
from engine.plan.task import Task
from reports.reproduce import reproduce
from scenario.run_request import RunRequest
from tests.reports.papers import rates_of, use_papers

KEY = "rates/rate_mbps=40,loss_percent=0/reno-1"


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A paper, and the cells that were measured of it; samples are those of the first measurement."""
    use_papers(monkeypatch, tmp_path / "papers", "first")
    monkeypatch.setattr("reports.repeated_cell.check_can_run", lambda *_arguments, **_more: None)
    found: list[str] = []

    def run(_self: VirtualRuns, tasks: list[Task]) -> None:
        for task in tasks:
            found.append(task.cell.key)
            task.store.save(CellRecord.of(task.cell, values={"total_mbps": 8.25}, facts={SAMPLES: "cafe0123"}))

    monkeypatch.setattr(VirtualRuns, "run", run)
    return found


def told(folder: Path, request: RunRequest) -> str:
    said = io.StringIO()
    assert reproduce(request, folder, RunOptions(request, Console(file=said, width=200), virtual=True)).complete
    return said.getvalue()


def test_one_cell_is_measured_and_its_samples_are_compared(tmp_path: Path, measured: list[str]) -> None:
    request = RunRequest(paper="first", cell=KEY)
    assert "total_mbps = 8.25\nsamples cafe0123\n" in told(tmp_path, request)
    assert measured == [KEY]
    store = ResultStore(tmp_path / "reproduce" / "first")
    (cell,) = (one for one in rates_of("first").cells() if one.key == KEY)
    for samples, expected in (("cafe0123", "the same as in"), ("beef4567", "not the same as in")):
        store.save(CellRecord.of(cell, facts={SAMPLES: samples}, commit="0123456789abcdef"))
        assert f"\n{expected} " in told(tmp_path, request)
    assert store.load(cell).facts[SAMPLES] == "beef4567", "the paper's own results stay"  # type: ignore[union-attr]


def test_an_unknown_cell_is_one_clear_line(tmp_path: Path, measured: list[str]) -> None:
    request = RunRequest(paper="first", cell=KEY.replace("reno", "reni"))
    with pytest.raises(UserError, match=r"CELL=.*reni-1: there is no such cell in this size\n.*CELL='.*reno-1'"):
        told(tmp_path, request)
    with pytest.raises(UserError, match="CELL= is one cell of one paper"):
        told(tmp_path, RunRequest(paper="all", cell=KEY))
    assert measured == []
