"""Kernels beside one another: the grid's points, the tables of a run, those of a paper, and differences seed by seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from engine.collect.record import CellRecord
from engine.plan.experiment import Effort
from reports.experiment import ReportedExperiment
from reports.kernel_differences import OnKernel, Row, difference_text, side_by_side
from reports.kernels_report import write_kernels_report
from reports.paper import read_paper
from reports.results import CONSTANT, Results
from reports.summary.kernels import kernel_tables
from scenario.run_request import RunRequest

STAGGERED = Path("scenario/examples/staggered.toml")
KERNELS = ("6.12", "7.3")


def experiment(kernels: tuple[str, ...] = KERNELS) -> ReportedExperiment:
    """The file of `make run`, with one scheme."""
    return ReportedExperiment.read(STAGGERED, Effort(schemes="reno", kernels=kernels))


def test_each_point_has_each_kernel() -> None:
    two, one = experiment(), experiment(("7.3",))
    assert [(point, scenario.run.kernel) for point, scenario in two.scenarios] == [({"kernel": kernel}, kernel) for kernel in KERNELS]
    assert [(point, scenario.run.kernel) for point, scenario in one.scenarios] == [({}, "7.3")]
    assert [scenario.run.kernel for _, scenario in experiment(()).scenarios] == [""]
    assert [cell.key for cell in two.cells()] == ["staggered/kernel=6.12/reno-1", "staggered/kernel=7.3/reno-1"]


def test_the_table_of_a_run() -> None:
    one = experiment()
    records = [CellRecord.of(cell, values={"mean_mbps.A": 10.0 + number, "queue_drops": 5.0}) for number, cell in enumerate(one.cells())]
    [table] = kernel_tables(one, Results(records))
    assert list(table.header) == ["", "6.12", "7.3", "7.3 − 6.12"]
    assert [list(row) for row in table.rows] == [["A", "10.00ᵈ", "11.00ᵈ", "+1.00"], ["dropped", "5ᵈ", "5ᵈ", "the same"]]
    assert "ᵈ one run, in which the seed draws nothing" in table.caption
    assert kernel_tables(experiment(("7.3",)), Results(records)) == []


@pytest.mark.parametrize(
    ("values", "first", "text"),
    [
        ({1: 3.0, 2: 4.0, 3: 5.0}, {1: 1.0, 2: 2.0, 3: 3.1}, "+1.97 ± 0.14, higher"),
        ({1: 1.0, 2: 2.0, 3: 3.0}, {1: 3.0, 2: 4.0, 3: 5.1}, "-2.03 ± 0.14, lower"),
        ({1: 3.0, 2: 1.0, 3: 5.0}, {1: 1.0, 2: 4.0, 3: 3.0}, "+0.33 ± 7.17, not apart"),
        ({CONSTANT: 3.0}, {CONSTANT: 2.5}, "+0.50"),
        ({CONSTANT: 3.0}, {CONSTANT: 3.0}, "the same"),
        ({1: 3.0}, {2: 3.0}, "—"),
        ({}, {2: 3.0}, "—"),
    ],
)
def test_differences_seed_by_seed(values: dict[int, float], first: dict[int, float], text: str) -> None:
    assert difference_text(values, first, ".2f") == text


def test_three_kernels_are_each_compared_with_the_first() -> None:
    cells = experiment().cells()
    results = {kernel: Results([CellRecord.of(cells[0], values={"jain": value})]) for kernel, value in (("a", 1.0), ("b", 0.9), ("c", 0.5))}
    table = side_by_side("reno", [Row("Jain", "jain", ".1f", {})], "reno", [OnKernel(kernel, found) for kernel, found in results.items()])
    assert list(table.header) == ["", "a", "b", "c", "b − a", "c − a"]
    assert [list(row) for row in table.rows] == [["Jain", "1.0ᵈ", "0.9ᵈ", "0.5ᵈ", "-0.1", "-0.5"]]


def test_a_papers_tables(tmp_path: Path) -> None:
    paper = read_paper("nodectl")
    listed = [ReportedExperiment.read(file, Effort(repetitions=1)) for file in paper.experiment_files if file.stem == "table7"]
    measured = {}
    for number, kernel in enumerate(KERNELS):
        records = [CellRecord.of(cell, values={"mean_mbps.A": 10.0 + number}) for cell in listed[0].cells()]
        measured[kernel] = {"table7": Results(records)}
    text, page = write_kernels_report(paper, listed, measured, "make reproduce KERNELS=6.12,7.3", tmp_path)
    assert "| 7.3 − 6.12 |" in text.read_text()
    assert "+1.0" in text.read_text()
    assert "make reproduce KERNELS=6.12,7.3" in page.read_text()


def test_requests() -> None:
    assert RunRequest().hosts_kernels == ()
    assert RunRequest(kernel="7.3").hosts_kernels == ("7.3",)
    assert RunRequest(kernels="6.12, 7.3").hosts_kernels == KERNELS
    assert RunRequest(kernels="6.12,7.3").only_virtual == "KERNELS=6.12,7.3"
    with pytest.raises(UserError, match="KERNEL= and KERNELS= contradict each other"):
        _ = RunRequest(kernel="7.3", kernels="6.12").hosts_kernels
    with pytest.raises(UserError, match="names a kernel twice"):
        _ = RunRequest(kernels="7.3,7.3").hosts_kernels


def test_a_grid_with_kernels_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(STAGGERED.read_text().replace("[topology]", '[grid]\nkernel = ["6.12"]\n\n[topology]'))
    with pytest.raises(UserError, match="the grid has kernels of its own"):
        _ = ReportedExperiment.read(file, Effort(kernels=KERNELS)).scenarios
