"""The paper that docs/new-experiment.md writes is one that is read; tests/virtual_time/test_new_experiment.py measures it."""

from __future__ import annotations

from pathlib import Path

from reports.experiment import ReportedExperiment
from tests.harness.pages import Page


def test_its_experiment_is_read(tmp_path: Path) -> None:
    for block in Page("new-experiment.md").blocks(section="A new figure"):
        if block.file:
            (tmp_path / Path(block.file).name).write_text(block.text)
    assert len(ReportedExperiment.read(tmp_path / "buffers.toml").cells()) == 4
