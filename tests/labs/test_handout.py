"""A handout has what students need, and nothing that they must not have."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from common.errors import UserError
from common.installation import PROJECT
from labs.catalogue import labs
from labs.handout import COMPILED, PROGRAM, write_handout
from tests.harness.long_tests import LONG


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not PROGRAM.exists():
        pytest.skip(f"the embedded toolchain is not built ({PROGRAM} is missing): run `make setup`")
    out = tmp_path_factory.mktemp("handout") / "tree"
    write_handout(out)
    return out


def test_it_has_no_solution(tree: Path) -> None:
    names = {str(file.relative_to(tree)) for file in tree.rglob("*")}
    assert not [name for name in names if name.startswith("labs/") and ("/solution" in name or name.endswith("wrong.toml"))]
    assert not names & {"labs/TEACHING.md", "tests/labs", ".git", ".venv", "results"}
    solutions = {file.read_bytes() for lab in labs() for file in lab.solution.values()}
    assert not [file for file in tree.rglob("*") if file.is_file() and file.read_bytes() in solutions]


def test_it_says_nothing_of_the_source_that_it_lacks(tree: Path) -> None:
    line = "dividend = (bit<64>) free_kbps + meta.bottleneck_sum_kbps"
    assert line in (PROJECT / "p4src" / "allocation.p4").read_text()
    assert not [file for file in tree.rglob("*") if file.suffix in (".p4", ".json") and line in file.read_text()]


def test_labs_can_be_checked_in_it(tree: Path) -> None:
    (tree / "switch" / "target").symlink_to(PROJECT / "switch" / "target")
    shutil.copytree(tree / COMPILED, tree / "build")  # as `make` does
    for lab in labs() if LONG else (labs()[0], labs()[-1]):
        result = subprocess.run(
            [sys.executable, "-m", "testbed", "lab", str(lab.number), "--no-run"], cwd=tree, capture_output=True, text=True, check=False
        )
        assert result.returncode == 1, result.stderr
        assert "does not compile" not in result.stdout
        assert f"lab {lab.number}, {lab.declaration.title}" in result.stdout
        assert (tree / "results" / "labs" / f"{lab.name}.json").exists()


def test_it_has_what_make_copies_in_place_of_the_compiler(tree: Path) -> None:
    assert {file.name for file in (tree / "p4src" / "compiled").iterdir()} == {"nodectl.json", "nodectl.p4info.txtpb"}


def test_it_is_not_written_over_something(tree: Path) -> None:
    with pytest.raises(UserError, match="is there already"):
        write_handout(tree)
