"""The pictures of a run: their parts, on both grounds, and the colours."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from reports.pictures.palette import GROUND, LOAD, LOAD_STEPS, SERIES, THEMES, Theme
from reports.pictures.places import places
from scenario.topologies import Layout
from scenario.topologies.kind import HostLink, Trunk
from tests.view.recording.synthetic_run import SyntheticRun, dumbbell, mesh
from view.recording.curves import curves_of
from view.recording.pictures_of_run import PICTURES, draw_pictures

LEAST_CONTRAST = 3.0
"""Between a ground and a part that has to be told from it (WCAG 2.1, 1.4.11)."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> SyntheticRun:
    return SyntheticRun(tmp_path_factory.mktemp("runs") / "run", dumbbell()).whole()


def test_curves_are_what_was_recorded(run: SyntheticRun) -> None:
    (cell,) = curves_of(run.folder)
    assert cell.problems == []
    assert cell.time_s[[0, -1]] == pytest.approx([0.05, 6.0])
    assert cell.rate_mbps("A")[[20, 60, 100]] == pytest.approx([36, 18, 12], rel=0.01)
    assert cell.rate_mbps("C")[60] == 0
    assert cell.busiest[0] == "s1-s2"
    times, values = cell.shares("s1-s2")["A"]
    assert values == [0, 36, 36, 18, 18, 12, 12]
    assert times[-1] == 6.0


def test_all_pictures_are_drawn_on_both_grounds(run: SyntheticRun, tmp_path: Path) -> None:
    files = draw_pictures(run.folder, tmp_path)
    assert sorted(file.name for file in files) == sorted(f"{name}{end}.svg" for name in PICTURES for end in ("", "-dark"))
    for file in files:
        ElementTree.parse(file)
        theme: Theme = "dark" if file.stem.endswith("-dark") else "light"
        with Image.open(file.with_suffix(".png")) as picture:
            corner = picture.convert("RGB").getpixel((2, 2))
        wanted = tuple(int(GROUND[theme]["ground"][at : at + 2], 16) for at in (1, 3, 5))
        assert corner == pytest.approx(wanted, abs=4)
        assert GROUND[theme]["text"] in file.read_text()


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_drawn_stands_out(theme: Theme) -> None:
    ground = GROUND[theme]["ground"]
    assert {colour: contrast(colour, ground) for colour in SERIES[theme] if contrast(colour, ground) < LEAST_CONTRAST} == {}
    assert {what: colour for what, colour in GROUND[theme].items() if what in ("text", "faint", "accent", "dropped")
            and contrast(colour, ground) < 4.5} == {}  # fmt: skip
    assert len(LOAD[theme]) == len(LOAD_STEPS)
    assert [colour for colour in LOAD[theme] if int(colour[1:3], 16) > int(colour[5:7], 16)] == [], "red is for lost packets alone"
    assert all(earlier < later for earlier, later in pairwise(LOAD_STEPS))


def test_chains_are_lines_and_meshes_are_grids(tmp_path: Path) -> None:
    names = [f"s{number}" for number in range(5)]
    link = SyntheticRun(tmp_path / "run", mesh(transmissions=1)).description.scenarios[0].layout.trunks[0].link
    chain = places(Layout(names, [], trunks=[Trunk(one, other, link) for one, other in pairwise(names)]))
    assert [chain[name][1] for name in names] == pytest.approx([0] * 5, abs=0.01)
    assert [later[0] - earlier[0] for earlier, later in pairwise(chain[name] for name in names)] == pytest.approx([1] * 4, abs=0.05)
    layout = SyntheticRun(tmp_path / "mesh", mesh(transmissions=1)).description.scenarios[0].layout
    grid = places(layout)
    apart = [
        ((grid[one][0] - grid[other][0]) ** 2 + (grid[one][1] - grid[other][1]) ** 2) ** 0.5
        for one in layout.switches for other in layout.switches if one < other
    ]  # fmt: skip
    assert min(apart) > 0.5


def test_the_links_of_a_host_of_several_switches_lie_on_no_other(tmp_path: Path) -> None:
    names = ["s1", "s2", "s3"]
    link = SyntheticRun(tmp_path / "run", mesh(transmissions=1)).description.scenarios[0].layout.trunks[0].link
    place = places(
        Layout(
            names,
            [HostLink("h1", "s1", link), HostLink("h2", "s2", link)],
            [HostLink("h1", "s3", link)],
            [Trunk(one, other, link) for one, other in pairwise(names)],
        )
    )
    assert [place[name][1] for name in names] == pytest.approx([0] * 3, abs=0.01)
    assert abs(place["h1"][1]) > 0.5
    assert place["h1"][1] * place["h2"][1] < 0, "on the other side than the host that has one"


def contrast(colour: str, other: str) -> float:
    """By WCAG 2.1."""
    light, dark = sorted((_luminance(colour), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
