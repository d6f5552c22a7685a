"""``testbed new``: templates are found and copied whole, and their files fit together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from common.errors import UserError
from testbed.checking.finding import Finding, Verdict
from testbed.checking.folder_check import check_folder
from testbed.starting.catalogue import TEMPLATES, Template, template_named, templates
from testbed.starting.making import make_folder
from tests.harness.switches import REPOSITORY

MOST_LINES_OF_A_PAGE = 60


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "testbed", *words], cwd=REPOSITORY, capture_output=True, text=True, check=False)


def test_the_templates_are_those_below_the_package() -> None:
    assert [one.name for one in templates()] == ["controller", "firewall", "int", "load-balancer", "router", "stateful"]
    assert {one.name for one in templates()} == {folder.name for folder in TEMPLATES.iterdir()}


@pytest.mark.parametrize("template", templates(), ids=lambda one: one.name)
def test_a_template_is_whole(template: Template, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert make_folder(folder, template) == template.files
    page = (folder / "README.md").read_text()
    assert "FOLDER" not in page
    assert f".venv/bin/python -m testbed check {folder}" in page
    assert page.count("\n") <= MOST_LINES_OF_A_PAGE
    assert page[page.index("## Exercises") :].count("\n1. ") == page.count("\n3. ") == 1
    named = {name for name in template.files if f"`{name}`" in page}
    assert {str(name) for name in set(template.files) - named} == {"README.md"}, "the page says what each file is"
    findings: list[Finding] = []
    assert check_folder(folder, findings.append, run=False), "\n".join(map(str, findings))
    kinds = [Path(finding.what).suffix for finding in findings]
    assert kinds == [".p4", ".stf", *([".py"] if template.name == "load-balancer" else []), ".toml"]
    assert {finding.verdict for finding in findings} == {Verdict.PASSED}
    assert sorted(name for name in folder.rglob("*") if name.is_file()) == sorted(folder / name for name in template.files), (
        "nothing is left"
    )


def test_the_command_makes_a_folder_and_says_what_comes_next(tmp_path: Path) -> None:
    done = command("new", str(tmp_path / "mine"), "--template", "stateful")
    assert done.returncode == 0, done.stderr
    assert f"{tmp_path}/mine/stateful.p4\n" in done.stdout
    assert done.stdout.endswith(
        f"begin with {tmp_path}/mine/README.md; .venv/bin/python -m testbed check {tmp_path}/mine checks all of it\n"
    )


@pytest.mark.parametrize("words", [["--list"], ["--template", "list"]])
def test_the_list_has_a_line_for_each(words: list[str]) -> None:
    lines = command("new", *words).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [one.name for one in templates()]
    assert all(len(line) < 120 for line in lines)


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    make_folder(tmp_path / "mine", template_named("router"))  # an empty one will do
    (tmp_path / "mine" / "router.p4").write_text("mine")
    with pytest.raises(UserError, match="mine is not empty; nothing was changed"):
        make_folder(tmp_path / "mine", template_named("firewall"))
    assert (tmp_path / "mine" / "router.p4").read_text() == "mine"
    with pytest.raises(UserError, match="is no folder"):
        make_folder(tmp_path / "mine" / "router.p4", template_named("router"))


def test_mistakes_of_the_command_line(tmp_path: Path) -> None:
    assert "there is no template 'switch'" in command("new", str(tmp_path / "mine"), "--template", "switch").stderr
    assert "no folder is named" in command("new").stderr
    assert not (tmp_path / "mine").exists()
