"""Whole labs with their runs: every solution earns all points."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.catalogue import Lab, labs
from labs.check.runs import RunSettings
from labs.checking import Request, check_lab, solution_files
from tests.harness.long_tests import only_long
from virtual_time.session import explain_missing


@only_long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("lab", labs(), ids=lambda lab: lab.name)
def test_the_solution_earns_all_points(lab: Lab, tmp_path: Path) -> None:
    if (missing := explain_missing()) is not None:
        pytest.skip(f"no virtual time: {missing}")
    settings = RunSettings(virtual=True)
    files = solution_files(lab, lab.solution, settings, tmp_path, tmp_path / "computed")
    outcome = check_lab(Request(lab, files, tmp_path, settings))
    assert outcome.messages() == ""
    assert outcome.earned == outcome.points == 20
