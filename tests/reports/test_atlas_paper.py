"""The atlas's experiments: which schemes meet, and how another one joins."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from engine.plan.experiment import Effort
from engine.plan.schemes import ecn_scheme_of, needed_schemes, p4_source_of
from reports.claims.published import PAPERS
from reports.experiment import ReportedExperiment
from reports.paper import read_paper
from scenario.run_request import Size

ATLAS = read_paper("atlas")
OF_NAMED_SCHEMES = ("bbr_by_buffer", "bbr_long", "bounded_window", "own_queues", "copa_modes")
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
