"""Every lab: the skeleton fails, the solution passes, each typical wrong answer fails with a message that names the mistake."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from labs.catalogue import Files, Lab, labs
from labs.check.vocabulary import checks_in
from labs.checking import Request, check_lab, load_checks, solution_files
from labs.lab_result import FAILED, LEFT_OUT, LabResult
from labs.run_options import quiet_run_options
from labs.wrong_answers import make_wrong_answer
from tests.harness.long_tests import only_long
from tests.harness.switches import binaries
from virtual_time.session import explain_missing

QUICK = {1, 5, 7}
"""Wrong answers of one lab of each language are always tried, P4, Python and C; those of the others where long tests are."""

QUICK_ANSWERS = 8
"""Of each lab."""

ENDLESS = {"it loops while it handles a packet-in", "a loop without an end"}
"""Wrong answers that take their whole time."""


def measures(lab: Lab) -> bool:
    """Whether a lab's answers are held against a run, which takes its time."""
    return any("measured" in one.needs for one in checks_in(load_checks(lab)))


def _marks(lab: Lab, number: int, answer: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if lab.number in QUICK and number < QUICK_ANSWERS and answer not in ENDLESS else (only_long,)


ALL = [pytest.param(lab, id=lab.name, marks=only_long if measures(lab) else ()) for lab in labs()]
ANSWERS = [
    pytest.param(lab, number, id=f"{lab.name}-{answer.name}", marks=_marks(lab, number, answer.name))
    for lab in labs()
    for number, answer in enumerate(lab.wrong_answers)
]


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs in which nothing is a student's, measured once."""
    return tmp_path_factory.mktemp("kept-runs")


def checked(lab: Lab, files: Files, work: Path, kept: Path) -> LabResult:
    """Without runs, but where a run is what the answers are held against.

    Args:
        files: handed in, or a solution that has to be computed.
    """
    if not (binaries() / "p4sim").exists():
        pytest.skip(f"the embedded toolchain is not built ({binaries() / 'p4sim'} is missing): run `make setup`")
    if not measures(lab):
        return check_lab(Request(lab, files, work, runs=None))
    if (missing := explain_missing()) is not None:
        pytest.skip(f"no virtual time: {missing}")
    options = quiet_run_options()
    if files.keys() != lab.skeleton.keys():
        files = solution_files(lab, files, options, kept, work / "computed")
    return check_lab(Request(lab, files, work, options, kept=kept))


@pytest.mark.parametrize("lab", ALL)
def test_the_skeleton_earns_little_and_compiles(lab: Lab, tmp_path: Path, kept: Path) -> None:
    result = checked(lab, lab.skeleton, tmp_path, kept)
    assert not result.has_passed
    assert result.earned <= result.points * 0.2
    assert "does not compile" not in result.messages()


@pytest.mark.parametrize("lab", ALL)
def test_the_solution_passes(lab: Lab, tmp_path: Path, kept: Path) -> None:
    result = checked(lab, lab.solution, tmp_path, kept)
    assert result.messages() == ""
    assert {one.name for one in result.checks if one.state == LEFT_OUT} == {one.name for one in result.checks if one.state != "passed"}


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory, kept: Path) -> Callable[[Lab, int], LabResult]:
    """The result of a wrong answer, by its number; each is checked once."""

    @cache
    def result(lab: Lab, number: int) -> LabResult:
        folder = tmp_path_factory.mktemp(f"{lab.name}-{number}")
        return checked(lab, make_wrong_answer(lab, lab.wrong_answers[number], folder / "in"), folder / "work", kept)

    return result


@pytest.mark.parametrize(("lab", "number"), ANSWERS)
def test_a_wrong_answer_is_told_what_is_wrong(lab: Lab, number: int, wrong: Callable[[Lab, int], LabResult]) -> None:
    result = wrong(lab, number)
    assert lab.wrong_answers[number].says in result.messages()
    assert any(one.state == FAILED for one in result.checks)


@only_long
@pytest.mark.parametrize("lab", ALL)
def test_each_check_is_failed_by_a_wrong_answer(lab: Lab, wrong: Callable[[Lab, int], LabResult]) -> None:
    """A check that nothing fails checks nothing."""
    results = [wrong(lab, number) for number in range(len(lab.wrong_answers))]
    failed = {one.name for result in results for one in result.checks if one.state == FAILED}
    assert {one.name for one in results[0].checks if one.state != LEFT_OUT} <= failed
