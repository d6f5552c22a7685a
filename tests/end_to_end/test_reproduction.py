"""Cells of a paper's table on a real network, and the report they end up in."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from experiments.report.paper import read_paper
from experiments.report.report import write_report
from experiments.run.experiment import Effort, Experiment
from experiments.run.runner import Runner, RunOptions
from experiments.run.store import ResultStore
from tests.end_to_end.conftest import GRPC_BASE_PORT
from topo.toolchain import EMBEDDED, choose

RTT_MS = 60
"""Of the cells below."""

PAPER = read_paper("nodectl")
TWO_CELLS = f"""
schema = 2
base = "{PAPER.folder}/table4.toml"
run.schemes = ["nodectl", "reno"]
grid = {{ size_bytes = [30_000], delay_ms = [{RTT_MS // 2}], queue_packets = [100] }}
"""
"""Small files, so that the test takes seconds: one negotiated, one not."""


@pytest.mark.real_time
@pytest.mark.usefixtures("nothing_left_behind")
def test_cells_are_measured_and_reported(tmp_path: Path) -> None:
    file, store = tmp_path / "two_cells.toml", ResultStore(tmp_path)
    file.write_text(TWO_CELLS)
    experiment = Experiment.read(file, Effort(repetitions=1))
    Runner(store, RunOptions(choose(EMBEDDED, ""), GRPC_BASE_PORT, Console(quiet=True))).run([experiment])
    negotiated, slow_start = (store.load(cell) for cell in experiment.cells())
    assert negotiated is not None
    assert slow_start is not None
    assert negotiated.is_result, negotiated.failure
    assert slow_start.is_result, slow_start.failure
    assert negotiated.facts["negotiation.A"] == "allocated"
    # One RTT of negotiation, half an RTT, 30 packets at 80 Mbit/s; the rest is for a busy machine.
    assert negotiated.values["took_ms"] == pytest.approx(1.5 * RTT_MS + 3, abs=20)
    # Slow start from one packet: 30 packets are the fifth window.
    assert slow_start.values["took_ms"] == pytest.approx(4.5 * RTT_MS, abs=20)
    markdown, html = write_report(PAPER, [experiment], store, "make reproduce")
    assert "Figure 6" in markdown.read_text()
    assert html.read_text().count("data:image/png;base64,") == 2
