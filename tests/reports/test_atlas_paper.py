"""The atlas's experiments: which schemes meet, and how another one joins."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from engine.plan.cell import Cell
from engine.plan.experiment import Effort
from engine.plan.schemes import ecn_scheme_of, needed_schemes, p4_source_of
from reports.claims.published import PAPERS
from reports.document.blocks import Text
from reports.experiment import ReportedExperiment
from reports.paper import read_paper
from reports.papers.atlas.findings import formula_percent
from reports.reproduce import chosen
from reports.results import Results
from scenario.run_request import Size
from tests.reports.parts.made_up import results

ATLAS = read_paper("atlas")
OF_NAMED_SCHEMES = ("bbr_by_buffer", "bbr_long", "bounded_window", "own_queues", "copa_modes", "one_marking_queue")
"""Experiments that are about certain schemes, so no other joins."""


@pytest.mark.parametrize("file", ATLAS.experiment_files, ids=lambda file: file.stem)
def test_no_two_schemes_meet_that_need_other_switches(file: Path) -> None:
    for size in Size:
        for cell in ReportedExperiment.read(file, Effort(size, repetitions=1)).cells():
            schemes = needed_schemes(cell)
            p4_source_of(schemes)
            ecn_scheme_of(schemes)


def test_all_pairs_meet_once() -> None:
    experiment = ReportedExperiment.read(PAPERS / "atlas" / "pairs.toml", Effort(Size.FULL, repetitions=1))
    routed, plain = (experiment.file.constants[name] for name in ("routed", "schemes"))
    met = Counter(
        frozenset((cell.scheme, str(cell.parameters["rival"])))
        for cell in experiment.cells()
        if cell.parameters["connections"] == "1:1"
        and (cell.parameters["rtt_ms"], cell.parameters["buffer_bdp"], cell.parameters["discipline"]) == (20, 1, "drop_tail")
    )
    assert set(met.values()) == {1}
    assert len(met) == len(plain) * (len(plain) - 1) // 2 + len(plain) * len(routed)


def test_a_scheme_of_a_stranger_joins_with_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "atlas"
    shutil.copytree(PAPERS / "atlas", folder)
    shared = folder / "dumbbell.toml"
    text = shared.read_text()
    assert text.count('  "reno",\n') == 1
    shared.write_text(text.replace('  "reno",\n', '  "reno",\n  "vegas",\n'))
    for file in (one for one in ATLAS.experiment_files if one.stem not in OF_NAMED_SCHEMES):
        experiment = ReportedExperiment.read(folder / file.name, Effort(repetitions=1))
        took_part = {cell.scheme for cell in experiment.cells()} | {cell.parameters.get("rival") for cell in experiment.cells()}
        assert "vegas" in took_part, file.stem


@pytest.mark.parametrize(("buffer_bdp", "percent"), [(2, 22.6), (16, 46.6)])
def test_the_formula_of_ware_et_al(buffer_bdp: float, percent: float) -> None:
    assert formula_percent(buffer_bdp, bdp_packets=82.56) == pytest.approx(percent, abs=0.05)


def findings_of(values: dict[str, float]) -> str:
    """All findings of made-up runs: every value is that of its scheme, and 30 without one."""

    def made_up(cell: Cell) -> dict[str, float | None]:
        value = values.get(cell.scheme, 30.0)
        if cell.parameters["discipline"] == "drop_tail" and cell.scheme in ("rcp", "xcp"):
            value = 2.0
        if cell.experiment == "one_marking_queue" and cell.parameters["buffer_bdp"] == 1:
            value -= 20
        if cell.scheme == "bbr" and float(str(cell.parameters["buffer_bdp"])) >= 8:
            value = 20.0
        return {"share_percent": value, "smaller_percent": value, "asymmetry": value / 100}

    experiments = chosen(ATLAS, (), Effort(repetitions=1))
    measured = {one.name: results(one, made_up) for one in experiments}
    assert ATLAS.section("findings")({name: Results([]) for name in measured}, ATLAS) == []
    return "\n".join(block.markdown for block in ATLAS.section("findings")(measured, ATLAS) if isinstance(block, Text))


def test_findings_are_computed() -> None:
    text = findings_of({"bbr": 80.0, "dctcp": 80.0, "nodectl(window_factor=20)": 95.0, "copa(modes=default)": 5.0})
    assert text.count("- **") == 6
    assert "20.0¹ at 16 BDP. The formula of Ware et al. 2019, for buffers that CUBIC keeps full, gives 22.6 at 2 BDP" in text
    assert "in points, +57.4 at 2 BDP, +43.7 at 4 BDP, -23.1 at 8 BDP, -26.6 at 16 BDP." in text
    assert "in percent of the other's, 30.0¹ at 1 BDP, 30.0¹ at 4 BDP" in text
    assert "which gives 71 %" in text
    assert "which gives 25 %" in text
    assert "Its share is, in percent, 60.0¹ at 1 BDP, 80.0¹ at 2 BDP, 80.0¹ at 4 BDP. Both are" in text
    assert "With twenty times that bound the share is 95.0¹ at 1 BDP" in text
    assert "RCP has, in percent, 2.0¹ at 1 BDP, 2.0¹ at 4 BDP in one queue, and 30.0¹ at 1 BDP" in text
    assert "Beside NewReno it has, in percent, 30.0¹ at 1 BDP, 30.0¹ at 4 BDP; without its competing mode 5.0¹" in text


def test_findings_that_the_results_do_not_bear_are_left_out() -> None:
    text = findings_of({"bbr": 40.0, "dctcp": 20.0, "nodectl": 60.0, "copa(modes=default)": 50.0})
    assert "CUBIC is unfair" in text
    assert text.count("- **") == 2
