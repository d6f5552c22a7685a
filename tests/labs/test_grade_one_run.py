"""A hand-in's program runs in a network inside its sandbox; many at once, and hostile ones: test_grade_runs.py."""

from __future__ import annotations

import shutil
from pathlib import Path

from labs.catalogue import lab_numbered
from labs.grade import sandbox
from labs.grade.grading import Grading
from labs.grade.handed_in import hand_ins
from tests.harness.sandbox import require_sandbox
from tests.virtual_time.inside import needs_virtual_time

pytestmark = needs_virtual_time

FIRST_USER = sandbox.FIRST_USER + sandbox.USERS + 200
"""A grader that runs meanwhile has other users, and so have the other tests."""


def test_a_solution_earns_all_points(tmp_path: Path) -> None:
    require_sandbox()
    lab = lab_numbered(1)
    folder = tmp_path / "in" / "ada"
    folder.mkdir(parents=True)
    for name, file in lab.solution.items():
        shutil.copy(file, folder / name)
    (grade,) = Grading(kept=tmp_path / "kept", first_user=FIRST_USER).grade(hand_ins(tmp_path / "in"), [lab])
    assert (grade.message, grade.earned, grade.points) == ("", 20, 20)
