"""Lab 10: a student's verdicts on the claims are held against the measured ones; any other answer fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.catalogue import lab_numbered
from labs.check.answers import Answers
from labs.check.own_experiment import OwnExperiment
from labs.check.vocabulary import Failed
from labs.checking import load_checks
from labs.run_options import quiet_run_options
from reports.claims.judgement import Judgement
from reports.experiment import ReportedExperiment
from tests.labs.mutation.of_lab import mutants_of_file

LAB = lab_numbered(10)
CHECKS = load_checks(LAB)
SOLUTION = LAB.solution["answers.toml"].read_text(encoding="utf-8")
MUTANTS = mutants_of_file("answers.toml", SOLUTION)


class AsPublished(OwnExperiment):
    """An experiment that measures the values of the paper's figure: both claims of the solution are confirmed."""

    def measured(self, experiment: ReportedExperiment) -> list[Judgement]:
        return self.judged_on(experiment, CHECKS._as_published)


def judged(text: str, folder: Path) -> None:
    file = folder / "answers.toml"
    file.write_text(text, encoding="utf-8")
    experiment = AsPublished(LAB.solution["figure.toml"], quiet_run_options, folder)
    CHECKS.verdict(experiment, Answers.read(file))


def test_the_solution_says_what_comes_out(tmp_path: Path) -> None:
    judged(SOLUTION, tmp_path)


def test_there_are_mutants() -> None:
    assert len(MUTANTS) >= 7


@pytest.mark.parametrize("number", range(len(MUTANTS)))
def test_any_other_answer_fails(number: int, tmp_path: Path) -> None:
    with pytest.raises(Failed, match="claim"):
        judged(MUTANTS[number].text, tmp_path)
