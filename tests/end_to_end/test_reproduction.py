"""One cell of a paper's table on a real network, and the report it ends up in."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiments.reproduction.cell import Cell
from experiments.reproduction.experiment import Effort, Paper
from experiments.reproduction.runner import Runner, plan_jobs
from experiments.reproduction.store import ResultStore
from rich.console import Console

from experiments.nodectl_paper.table4_utilization import Utilization
from experiments.reproduction.report import write_report
from tests.end_to_end.conftest import GRPC_BASE_PORT

RTT_MS = 60
"""Of the cells below."""


class TwoCells(Utilization):
    """Small files, so that the test takes seconds: one negotiated, one not."""

    def cells(self, effort: Effort) -> list[Cell]:
        point = {"size_bytes": 30_000, "delay_ms": RTT_MS // 2, "queue_packets": 100}
        return [Cell(self.name, scheme, 1, point) for scheme in ("nodectl", "reno")]


@pytest.mark.real_time
@pytest.mark.usefixtures("nothing_left_behind")
def test_cells_are_measured_and_reported(tmp_path: Path) -> None:
    experiment, store, effort = TwoCells(), ResultStore(tmp_path), Effort(repetitions=1)
    Runner(store, grpc_base_port=GRPC_BASE_PORT, console=Console(quiet=True)).run(plan_jobs([experiment], effort))
    negotiated, slow_start = (store.load(cell) for cell in experiment.cells(effort))
    assert negotiated is not None
    assert slow_start is not None
    assert negotiated.is_result, negotiated.failure
    assert slow_start.is_result, slow_start.failure
    assert negotiated.facts["negotiation"] == "allocated"
    # One RTT of negotiation, half an RTT, 30 packets at 80 Mbit/s; the rest is for a busy machine.
    assert negotiated.values["took_ms"] == pytest.approx(1.5 * RTT_MS + 3, abs=20)
    # Slow start from one packet: 30 packets are the fifth window.
    assert slow_start.values["took_ms"] == pytest.approx(4.5 * RTT_MS, abs=20)
    markdown, html = write_report(Paper("test", "Test", (experiment,)), [experiment], store, effort, "make reproduce")
    assert "Figure 6" in markdown.read_text()
    assert html.read_text().count("data:image/png;base64,") == 2
