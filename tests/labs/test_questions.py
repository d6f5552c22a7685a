"""A student can do all that the labs' pages say without overwriting anything outside of the lab's folder."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.errors import EXIT_CANNOT_RUN
from common.installation import PROJECT
from labs.catalogue import README, Lab, lab_numbered, labs
from labs.check.vocabulary import checks_in
from labs.checking import load_checks

COMMAND = re.compile(r"`((?:make|cp|mv|\.venv/bin/python|NODECTL_SCHEMES=\S+ make) [^`]+)`")
SCENARIOS = PROJECT / "scenario" / "examples"
BREAKS = re.compile(r"^\d\. (?:Set|Change|Take)\b|\b(?:set both to|Set \w+ to|change `)", re.MULTILINE)
"""A question that asks for a change with which checks may fail, so that nothing would be measured."""

ALL = [pytest.param(lab, id=lab.name) for lab in labs()]


def page(lab: Lab) -> str:
    return " ".join((lab.folder / README).read_text(encoding="utf-8").split())


def questions(lab: Lab) -> list[str]:
    text = (lab.folder / README).read_text(encoding="utf-8").partition("## Questions\n")[2]
    return re.split(r"\n(?=\d\. )", text.partition("\n**See it.**")[0].strip())


def commands(lab: Lab) -> Iterator[str]:
    yield from (match[1] for match in COMMAND.finditer(page(lab)))


def values(command: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in command.split() if re.match(r"[A-Z_]+=", word))


@pytest.mark.parametrize("lab", ALL)
def test_every_command_names_what_there_is(lab: Lab) -> None:
    for command in commands(lab):
        given = values(command)
        if "LAB" in given:
            assert int(given["LAB"]) == lab.number, command
            assert given.get("RUN", "no") in ("no", "only"), command
        scenario = given.get("SCENARIO", "")
        if scenario and not scenario.startswith("results/"):
            assert (PROJECT / scenario).is_file() or (SCENARIOS / f"{scenario}.toml").is_file(), command
        if command.startswith("make replay"):
            assert given["RUN"] == f"results/labs/{lab.name}", command


@pytest.mark.parametrize("lab", ALL)
def test_no_command_writes_into_the_testbed(lab: Lab) -> None:
    for command in commands(lab):
        if command.startswith(("cp ", "mv ")):
            assert command.split()[-1].startswith(("results/", f"labs/{lab.name}/")), command


@pytest.mark.parametrize("lab", ALL)
def test_a_question_that_breaks_a_check_says_how_to_measure_all_the_same(lab: Lab) -> None:
    if not any("run" in one.needs for one in checks_in(load_checks(lab))):
        return
    asking = [one for one in questions(lab) if BREAKS.search(one) and "Which check" not in one]
    assert [one for one in asking if "RUN=only" not in one] == []


def test_there_are_such_questions() -> None:
    asking = [one for lab in labs() for one in questions(lab) if BREAKS.search(one)]
    assert len(asking) >= 6
    assert all(len(questions(lab)) >= 4 for lab in labs())


def test_a_lab_without_a_run_of_its_own_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "testbed", "lab", "10", "--only-run", "--from", str(lab_numbered(10).folder)]
    result = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert result.returncode == EXIT_CANNOT_RUN
    assert "lab 10 has no run of its own" in result.stderr
