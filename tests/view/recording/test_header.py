"""The first message to the page about a run: whose word a sender's rate is, and whether the run is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.view.recording.synthetic_run import SyntheticRun, dumbbell
from view.recording.run_recording import RunRecording


def header(run: SyntheticRun) -> dict[str, object]:
    return RunRecording(run.folder).header()


def who(run: SyntheticRun) -> list[str]:
    cells = header(run)["cells"]
    assert isinstance(cells, list)
    return [one["hands_out"] for one in cells]


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ("nodectl", "controller"),
        ("nodectl(variant=deployable)", "controller"),
        ("rcp", "switches"),
        ("dctcp", "nobody"),
        ("cubic", "nobody"),
        ("linux:vegas", "nobody"),
    ],
)
def test_who_hands_out_bandwidth(scheme: str, expected: str, tmp_path: Path) -> None:
    assert who(SyntheticRun(tmp_path / "run", dumbbell([scheme]))) == [expected]


def test_one_transmission_that_negotiates_is_enough(tmp_path: Path) -> None:
    text = dumbbell(["cubic"]).replace('name = "B"\n', 'name = "B"\nscheme = "nodectl"\n')
    assert who(SyntheticRun(tmp_path / "run", text)) == ["controller"]


def test_a_scheme_that_is_there_no_more_does_not_hinder(tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", dumbbell())
    file = run.folder / "run.json"
    file.write_text(file.read_text().replace('"scheme": "nodectl"', '"scheme": "of_last_year"'))
    assert who(run) == ["nobody"]


def test_a_run_is_finished_when_all_cells_have_a_result(tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", dumbbell(["nodectl", "cubic"]))
    assert header(run)["finished"] is False
    run.begin(run.cells[0])
    run.grow(run.cells[0], 1.0)
    run.finish(run.cells[0])
    assert header(run)["finished"] is False
    run.begin(run.cells[1])
    run.grow(run.cells[1], 1.0)
    run.finish(run.cells[1], failure="the switch is gone")
    assert header(run)["finished"] is True
