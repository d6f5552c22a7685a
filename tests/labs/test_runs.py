"""Whole labs with their runs: every solution earns all points."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from labs.catalogue import Lab, lab_numbered, labs
from labs.checking import Request, check_lab, solution_files
from labs.run_alone import show_run
from labs.run_options import quiet_run_options
from tests.harness.long_tests import only_long
from virtual_time.session import explain_missing


@only_long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("lab", labs(), ids=lambda lab: lab.name)
def test_the_solution_earns_all_points(lab: Lab, tmp_path: Path) -> None:
    if (missing := explain_missing()) is not None:
        pytest.skip(f"no virtual time: {missing}")
    options = quiet_run_options()
    files = solution_files(lab, lab.solution, options, tmp_path, tmp_path / "computed")
    result = check_lab(Request(lab, files, tmp_path, options))
    assert result.messages() == ""
    assert result.earned == result.points == 20


@only_long
@pytest.mark.timeout(300)
def test_the_run_alone_of_a_lab_with_schemes_of_its_own(tmp_path: Path) -> None:
    if (missing := explain_missing()) is not None:
        pytest.skip(f"no virtual time: {missing}")
    lab, said = lab_numbered(7), StringIO()
    options = quiet_run_options()
    files = solution_files(lab, lab.solution, options, tmp_path, tmp_path / "computed")
    show_run(Request(lab, files, tmp_path, options), Console(file=said, width=200))
    assert "P4 program of all switches: p4src/nodectl.p4" in said.getvalue()
    assert "picture: " in said.getvalue()
