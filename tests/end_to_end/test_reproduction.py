"""Two cells of a paper's table on a real network, and the report they end up in."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.installation import PROJECT
from engine.collect.store import ResultStore
from reports.experiment import ReportedExperiment
from reports.paper import read_paper
from reports.report import write_report
from tests.end_to_end.conftest import measured
from tests.harness.precision import within

RTT_MS = 60
"""Of the cells below."""


@pytest.mark.real_time
@pytest.mark.usefixtures("nothing_left_behind")
def test_cells_are_measured_and_reported(tmp_path: Path) -> None:
    file = tmp_path / "table4.toml"
    table4 = PROJECT / "reports" / "papers" / "nodectl" / "table4.toml"
    file.write_text(
        f'schema = 2\nbase = "{table4}"\nrun.schemes = ["nodectl", "reno"]\n'
        f"grid = {{ delay_ms = {RTT_MS // 2}, queue_packets = 100, size_bytes = 30_000 }}\n"
    )
    negotiated, slow_start = measured(file, tmp_path)
    assert negotiated.facts["negotiation.A"] == "allocated"
    # One RTT of negotiation, half an RTT, 30 packets at 80 Mbit/s; the rest is transmission of single packets, and a busy machine.
    packets_ms = 30 * 1052 * 8 / 80e3
    assert negotiated.values["took_ms"] == pytest.approx(1.5 * RTT_MS + packets_ms, abs=within(0.5, real=20))
    # Slow start from one packet: 30 packets are the fifth window, the last half of them sent in it.
    assert slow_start.values["took_ms"] == pytest.approx(4.5 * RTT_MS + packets_ms / 2, abs=within(1.5, real=20))
    markdown, html = write_report(read_paper("nodectl"), [ReportedExperiment.read(file)], ResultStore(tmp_path), "make reproduce")
    assert "Figure 6" in markdown.read_text()
    assert html.read_text().count("data:image/png;base64,") == 2
