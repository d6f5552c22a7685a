"""What ``make reproduce`` measures for the wishes it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.__main__ import size_of
from experiments.report.paper import Paper
from experiments.reproduce import Request, chosen
from experiments.run.experiment import Effort
from experiments.run.runner import results_folder
from protocol.errors import UserError
from scenario.file import Size
from tests.experiments.run.cells import FILE
from topo.toolchain import Toolchain


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    """Three experiments: in every size, not in a quick look, only in full."""
    for name, first in (("always", ""), ("longer", 'sizes = ["normal", "full"]\n'), ("published_size", 'sizes = ["full"]\n')):
        (tmp_path / f"{name}.toml").write_text(first + FILE.replace("repetitions = 2\n", ""))
    return Paper(title="Made up", citation="nobody", experiments=["always", "longer", "published_size"], folder=tmp_path)


@pytest.mark.parametrize(
    ("size", "names", "repetitions", "word"),
    [
        (Size.QUICK, ["always"], 1, " QUICK=1"),
        (Size.NORMAL, ["always", "longer"], 3, ""),
        (Size.FULL, ["always", "longer", "published_size"], 3, " FULL=1"),
    ],
)
def test_each_size_has_its_experiments(paper: Paper, size: Size, names: list[str], repetitions: int, word: str) -> None:
    request = Request("made-up", size=size)
    experiments = chosen(paper, (), request.effort)
    assert [one.name for one in experiments] == names
    assert {cell.repetition for one in experiments for cell in one.cells()} == set(range(1, repetitions + 1))
    assert request.command == f"make reproduce PAPER=made-up{word}"


def test_an_experiment_that_a_size_does_not_have_is_refused(paper: Paper) -> None:
    with pytest.raises(UserError, match=r"published_size of .*: not part of the normal report\n.*full \(FULL=1\)"):
        chosen(paper, ("always", "published_size"), Effort())
    with pytest.raises(UserError, match=r"longer of .*: not part of the quick report\n.*neither QUICK=1 nor FULL=1; FULL=1"):
        chosen(paper, ("longer",), Effort(Size.QUICK))


def test_each_size_keeps_results_of_its_own(tmp_path: Path) -> None:
    folders = [results_folder(tmp_path, "libra", Toolchain(), size, virtual=True).name for size in Size]
    assert folders == ["libra-quick", "libra", "libra-full"]


def test_a_look_and_the_published_sizes_contradict_each_other() -> None:
    with pytest.raises(UserError, match="QUICK=1 and FULL=1 contradict each other"):
        size_of(quick=True, full=True)
    assert [size_of(quick=True, full=False), size_of(quick=False, full=False), size_of(quick=False, full=True)] == list(Size)
