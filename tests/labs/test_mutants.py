"""Each small change of a solution fails a check, or its reason to pass is written down (tests/labs/mutation)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from labs.catalogue import Lab, lab_numbered, labs
from labs.checking import solution_files
from labs.run_options import quiet_run_options
from tests.harness.long_tests import only_long
from tests.harness.switches import binaries
from tests.labs.mutation.explained import Explained, explained_of, without_mutants
from tests.labs.mutation.mutant import Mutant
from tests.labs.mutation.of_lab import mutants_of_lab
from tests.labs.mutation.trial import CRASHED, Trial, Trials
from virtual_time.session import explain_missing

SAMPLED = {1: 3, 2: 4, 8: 3, 9: 4, 11: 3}
"""How many mutants of which lab are tried each time: of those whose checks take a fraction of a second."""

SEED = 35
LEAST = {1: 100, 2: 200, 3: 150, 4: 90, 5: 150, 6: 50, 7: 50, 8: 100, 9: 125, 10: 200, 11: 100}
"""So many there are at least: a tool that makes none finds nothing."""


def wrong_of(lab: Lab, trials: Sequence[Trial]) -> list[str]:
    """The faults: survivors without a reason, and checks that end with an error of their own."""
    explained = explained_of(lab)
    found = [f"passes: {one.mutant}" for one in trials if one.has_passed and not one.same_program and not _covered(explained, one.mutant)]
    return found + [f"{one.message}: {one.mutant}" for one in trials if one.message.startswith(CRASHED)]


def _covered(explained: Sequence[Explained], mutant: Mutant) -> bool:
    return any(one.covers(mutant) for one in explained)


@pytest.fixture(autouse=True)
def _possible() -> None:
    if not (binaries() / "p4sim").exists():
        pytest.skip(f"the embedded toolchain is not built ({binaries() / 'p4sim'} is missing): run `make setup`")


@pytest.mark.parametrize("lab", [lab for lab in labs() if not lab.declaration.computed], ids=lambda lab: lab.name)
def test_what_is_explained_is_a_mutant_still(lab: Lab) -> None:
    mutants = mutants_of_lab(lab, lab.solution)
    assert len(mutants) >= LEAST[lab.number]
    assert list(without_mutants(explained_of(lab), mutants)) == []


@pytest.mark.parametrize("number", SAMPLED)
def test_a_few_mutants_are_noticed(number: int, tmp_path: Path) -> None:
    lab = lab_numbered(number)
    some = Random(SEED).sample(mutants_of_lab(lab, lab.solution), SAMPLED[number])
    trials = [Trials(lab, lab.solution, tmp_path).of(one) for one in some]
    assert wrong_of(lab, trials) == []
    assert not all(one.is_refused for one in trials), "none is a program: is the solution one?"


@only_long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("lab", labs(), ids=lambda lab: lab.name)
def test_every_mutant_is_noticed_or_explained(lab: Lab, tmp_path: Path) -> None:
    options = None
    if lab.declaration.computed:
        if (missing := explain_missing()) is not None:
            pytest.skip(f"no virtual time: {missing}")
        options = quiet_run_options()
    solution = solution_files(lab, lab.solution, options, tmp_path / "kept", tmp_path / "computed")
    mutants = mutants_of_lab(lab, solution)
    assert len(mutants) >= LEAST[lab.number]
    trials = list(Trials(lab, solution, tmp_path / "kept", options is not None).of_all(mutants, os.cpu_count() or 1))
    assert wrong_of(lab, trials) == []
    passing = [one.mutant for one in trials if one.has_passed]
    assert list(without_mutants(explained_of(lab), passing)) == [], "these are noticed by now: take them out of the list"
