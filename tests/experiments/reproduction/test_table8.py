"""Table 8's cells, network and report, without running anything."""

from __future__ import annotations

from pathlib import Path

from experiments.nodectl_paper.paper import PAPER
from experiments.nodectl_paper.table8_shared_bottleneck import SCHEMES, SharedBottleneck, two_access_links
from experiments.reproduction.cell import CellRecord
from experiments.reproduction.document import Picture, Table, Text
from experiments.reproduction.experiment import Effort
from experiments.reproduction.results import Results
from topo.routes import way_between


def record(scheme: str, a_mbps: float, d_mbps: float) -> CellRecord:
    values: dict[str, float | None] = {"a_mbps": a_mbps, "d_mbps": d_mbps, "d1_mbps": d_mbps / 2, "d2_mbps": d_mbps / 2, "queue_drops": 0.0}
    series = {"time_s": [0.1, 0.3], "a_mbps": [1.0, a_mbps], "d1_mbps": [0.0, 1.0], "d2_mbps": [0.0, 1.0]}
    return CellRecord(experiment="table8", scheme=scheme, repetition=1, parameters={"duration_s": 60.0}, values=values, series=series)


def test_it_is_one_of_the_papers_experiments() -> None:
    assert [experiment.name for experiment in PAPER.experiments].count("table8") == 1


def test_cells() -> None:
    experiment = SharedBottleneck()
    assert len(experiment.cells(Effort(quick=False, repetitions=3))) == 3 * len(SCHEMES)
    quick = experiment.cells(Effort(quick=True, repetitions=1))
    assert sum(experiment.duration_s(cell) for cell in quick) < 100


def test_both_subflows_pass_the_bottleneck() -> None:
    plan = two_access_links().build(50_000)
    assert [way_between(plan, interface.name, "h4")[1:] for interface in plan.interfaces("h2")] == [["s1", "s2", "h4"]] * 2


def test_report(tmp_path: Path) -> None:
    blocks = SharedBottleneck().report(Results([record("coupled", 3.0, 2.5), record("nodectl", 2.81, 2.79)]))
    (table,) = [block for block in blocks if isinstance(block, Table)]
    assert table.header[2:] == ["MPTCP coupled", "Nodectl"]
    assert ["A", "published", "1.89", "2.79"] in table.rows
    assert ["D", "measured", "2.50", "2.79"] in table.rows
    assert any(isinstance(block, Text) and "0.71 % apart (bar: 5 %, met)" in block.markdown for block in blocks)
    (picture,) = [block for block in blocks if isinstance(block, Picture)]
    picture.draw(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5_000


def test_a_missed_bar_is_said() -> None:
    blocks = SharedBottleneck().report(Results([record("nodectl", 3.0, 2.5)]))
    assert any(isinstance(block, Text) and "MISSED" in block.markdown for block in blocks)


def test_report_without_measurements() -> None:
    assert not any(isinstance(block, Picture) for block in SharedBottleneck().report(Results([])))
