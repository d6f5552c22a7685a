"""The atlas's data, its CSV file and its page as files."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from tests.view.atlas.made_up_atlas import asymmetry, atlas
from view.atlas.atlas_data import atlas_csv, atlas_data
from view.atlas.atlas_page import write_atlas
from view.live.page_files import CHART_FILES

COMMAND = "make reproduce PAPER=atlas"


def test_each_cell_has_its_mean_interval_runs_and_curves(tmp_path: Path) -> None:
    data = atlas_data(*atlas(tmp_path), COMMAND)
    assert data["schemes"] == ["reno", "cubic", "bbr"]
    assert list(data["experiments"]) == ["pairs", "same"]
    pairs = data["experiments"]["pairs"]
    assert [(value["name"], value["form"], value["is_signed"]) for value in pairs["values"]] == [
        ("asymmetry", ".2f", True),
        ("used_percent", ".2f", False),
    ]
    assert pairs["variables"] == {
        "buffer_bdp": {"1": "1 BDP", "4": "4 BDP"},
        "connections": {"1:1": "1:1", "1:4": "1:4", "4:1": "4:1"},
    }
    wanted = {"buffer_bdp": "4", "connections": "1:4"}
    (cell,) = (one for one in data["cells"] if one["rival"] == "cubic" and one["point"] == wanted)
    mean, low, high, count = cell["values"]["asymmetry"]
    assert (cell["scheme"], count) == ("reno", 3)
    assert mean == pytest.approx(asymmetry("reno", "cubic") + 0.002, abs=1e-4)
    assert high - mean == pytest.approx(mean - low, abs=1e-4) == pytest.approx(4.303 * 0.001 / 3**0.5, abs=1e-4)
    assert [samples for _, _, samples in cell["runs"]] == ["reno1", "reno2", "reno3"]
    assert cell["curves"] == {"time_s": [1.0, 3.0], "throughput.A": [4.0, 5.0]}
    assert cell["window_s"] == [1, 4]


def test_the_name_of_a_cell_is_the_one_that_repeats_it(tmp_path: Path) -> None:
    experiments, results = atlas(tmp_path)
    keys = {cell.key for one in experiments for cell in one.cells()}
    names = [
        f"{cell['name']}-{repetition}" for cell in atlas_data(experiments, results, COMMAND)["cells"] for repetition, *_ in cell["runs"]
    ]
    assert len(names) == len(set(names)) > 0
    assert set(names) < keys, "all but those without a result"


def test_a_scheme_that_is_a_rival_alone_is_among_the_schemes(tmp_path: Path) -> None:
    (pairs, _), results = atlas(tmp_path)
    assert pairs.schemes == ["reno", "cubic"]
    assert atlas_data([pairs], results, COMMAND)["schemes"] == ["reno", "cubic", "bbr"]


def test_the_csv_file_has_a_row_for_each_value(tmp_path: Path) -> None:
    rows = list(csv.DictReader(atlas_csv(*atlas(tmp_path)).splitlines()))
    wanted = [row for row in rows if (row["scheme"], row["rival"], row["value"]) == ("reno", "cubic", "asymmetry")]
    assert [row["variables"] for row in wanted] == [
        f"buffer_bdp={buffer};connections={counts}" for buffer in (1, 4) for counts in ("1:1", "1:4", "4:1")
    ]
    assert all(float(row["low"]) < float(row["mean"]) < float(row["high"]) and row["runs"] == "3" for row in wanted)
    assert {row["value"] for row in rows if row["experiment"] == "same"} == {"jain"}


def test_the_page_is_one_file(tmp_path: Path) -> None:
    if not all(file.exists() for file in CHART_FILES.values()):
        pytest.skip("the live page's library of charts is not installed: the page is NOT made")
    experiments, results = atlas(tmp_path)
    html, csv_file = write_atlas(experiments, results, tmp_path / "out", COMMAND)
    page = html.read_text()
    assert csv_file.read_text() == atlas_csv(experiments, results)
    assert not re.search(r'(src|href)="(?!data:)', page), "nothing is fetched"
    data = json.loads(re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[0])
    assert data == json.loads(json.dumps(atlas_data(experiments, results, COMMAND)))
    (mapped,) = re.findall(r'<script type="importmap">(.*?)</script>', page)
    modules = json.loads(mapped)["imports"]
    scripts = Path("view/atlas/page").glob("*.js")
    wanted = {name for file in scripts for name in re.findall(r'from "([^"]+)"', file.read_text())}
    assert wanted <= modules.keys()
