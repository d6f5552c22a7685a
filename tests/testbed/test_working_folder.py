"""Folders that a student or somebody with an installed testbed works in."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from common.installation import PROJECT
from labs.catalogue import lab_numbered, labs
from labs.student_folder import write_lab
from testbed.starting.working_folder import make_working_folder


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("lab", labs(), ids=lambda lab: lab.name)
def test_what_a_lab_begins_with_and_no_solution(lab) -> None:  # type: ignore[no-untyped-def]
    place = write_lab(lab, Path("my-labs"))
    names = {file.name for file in place.iterdir()}
    assert {*lab.declaration.files, "README.md"} <= names
    assert not names & {"solution", "wrong.toml", "checks.py", "lab.toml"}


def test_its_page_has_commands_that_are_there() -> None:
    page = (write_lab(lab_numbered(3), Path("my-labs")) / "README.md").read_text()
    assert "`testbed lab LAB=3 FROM=my-labs/03-state RUN=only`" in page
    assert "`testbed replay RUN=results/labs/03-state`" in page
    assert ".venv" not in page
    assert f"]({PROJECT}/docs/live-page.md)" in page


def test_what_is_there_stays() -> None:
    lab = lab_numbered(1)
    place = write_lab(lab, Path())
    (place / "router.p4").write_text("mine")
    with pytest.raises(UserError, match=r"01-forwarding is there already; nothing was changed"):
        write_lab(lab, Path())
    assert (place / "router.p4").read_text() == "mine"


def test_a_folder_with_everything() -> None:
    made = make_working_folder(Path("work"))
    assert set(made) == {one.name for one in Path("work").iterdir()}
    assert Path("work/scenarios/staggered.toml").exists()
    assert Path("work/schemes/mycca.bpf.c").exists()
    assert len(list(Path("work/labs").glob("*/README.md"))) == len(labs())
    with pytest.raises(UserError, match="work is there and not empty"):
        make_working_folder(Path("work"))
