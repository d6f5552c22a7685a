"""The worked example of docs/reproduce.md is a whole experiment, in fewer than 30 lines of data."""

from __future__ import annotations

from pathlib import Path

from engine.plan.experiment import Effort
from reports.document.blocks import Picture, Table
from reports.experiment import ReportedExperiment
from reports.paper import read_paper
from reports.report import blocks_of_experiment
from scenario.run_request import Size
from tests.harness.pages import Page
from tests.reports.parts.made_up import results


def test_the_worked_example(tmp_path: Path) -> None:
    paper = read_paper("nodectl")
    text = Page("reproduce.md").blocks("toml")[0].text
    assert len([line for line in text.splitlines() if line.strip()]) < 30
    file = tmp_path / "rtt_fairness.toml"
    file.write_text(text.replace("dumbbell.toml", str(paper.folder / "dumbbell.toml")))
    assert len(ReportedExperiment.read(file, Effort(Size.QUICK, 1)).cells()) == 2 * 4
    experiment = ReportedExperiment.read(file, Effort(repetitions=2))
    assert len(experiment.cells()) == 2 * 3 * 4
    assert experiment.scenarios[-1][1].topology.access_link("h2").delay_ms == 65
    values = {"mean_mbps.near": 12.0, "mean_mbps.far": 6.0, "apart_percent": 100.0}
    blocks = blocks_of_experiment(experiment, results(experiment, lambda _cell: values), paper)
    (table,) = (block for block in blocks if isinstance(block, Table))
    assert table.rows[3] == ["far, 0 ms longer", *["6.0 ± 0.0"] * 4]
    assert "Nodectl, 60 ms longer, apart_percent: 100 ± 0; at most 5: **missed**" in str(blocks)
    assert sum(isinstance(block, Picture) for block in blocks) == 1
