"""Cells of a file: every point, scheme and repetition, with the seed of the repetition; which can share a network."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from engine.plan.experiment import Effort
from engine.plan.network_key import network_key
from reports.experiment import ReportedExperiment
from tests.engine.cells import FILE, experiment
from topo.layout import plan_network


def test_cells_are_compared_side_by_side_and_seeds_follow_repetitions(tmp_path: Path) -> None:
    cells = experiment(tmp_path, text=FILE.replace('["reno"]', '["reno", "cubic"]')).cells()
    assert len(cells) == 16
    assert [(cell.scheme, cell.parameters["delay_ms"]) for cell in cells[:4]] == [("reno", 5), ("cubic", 5), ("reno", 9), ("cubic", 9)]
    assert {cell.repetition: cell.scenario.seed for cell in cells} == {1: 1, 2: 2}
    assert cells[0].key == "counting/rate=10,delay_ms=5/reno-1"
    assert len({cell.key for cell in cells}) == 16


def test_points_that_differ_in_delay_share_a_network_and_those_that_differ_in_rate_do_not(tmp_path: Path) -> None:
    keys = {}
    for point, scenario in experiment(tmp_path).scenarios:
        keys[point["rate"], point["delay_ms"]] = network_key(scenario, plan_network(scenario))
    assert keys[10, 5] == keys[10, 9] != keys[80, 5] == keys[80, 9]


@pytest.mark.parametrize(
    "change",
    [
        ("schema = 2", 'schema = 2\nwithout = ["D3"]'),
        ("schema = 2", 'schema = 2\nvariant = "deployable"'),
        ("schema = 2", "schema = 2\npacket_bytes = 1052"),
        ("pairs = 1", "pairs = 2"),
    ],
)
def test_another_network_has_another_key(tmp_path: Path, change: tuple[str, str]) -> None:
    keys = set()
    for text in (FILE, FILE.replace(*change)):
        scenario = experiment(tmp_path, text=text).scenarios[0][1]
        keys.add(network_key(scenario, plan_network(scenario)))
    assert len(keys) == 2


def test_every_point_is_checked_when_the_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"\[topology\.bottleneck\], key `rate_mbps`.*at rate = -1, delay_ms = 5"):
        experiment(tmp_path, text=FILE.replace("rate = [10, 80]", "rate = [10, -1]"))


def test_repetitions_are_those_asked_for_or_the_file_s_or_the_usual_number(tmp_path: Path) -> None:
    file = tmp_path / "counting.toml"

    def repetitions(text: str, effort: Effort) -> int:
        file.write_text(text)
        return max(cell.repetition for cell in ReportedExperiment.read(file, effort).cells())

    without = FILE.replace("repetitions = 2\n", "")
    assert without != FILE
    assert repetitions(without, Effort()) == 1
    assert repetitions(without, Effort(usual_repetitions=3)) == 3
    assert repetitions(FILE, Effort(usual_repetitions=3)) == 2
    assert repetitions(FILE, Effort(repetitions=5, usual_repetitions=3)) == 5
