"""Reports as files: right tables in Markdown, and an HTML file that needs nothing besides itself."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reports.document import html, markdown
from reports.document.blocks import Block, Heading, Picture, Table, Text
from reports.figures.panels import VISIBLE_POINTS, Line, Panel, draw_panels, visible

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)
BLOCKS: list[Block] = [
    Heading("Title & <more>", 1),
    Text("One *two*.\n\n- item"),
    Table("Unit | caption.", ["a", "b"], [["x|y", "1.0 [0.9…1.1]"], ["<script>", "2"]]),
    Picture("curve", "A [curve]", lambda folder: (folder / "curve.png").touch()),
]


class References(HTMLParser):
    """Collects what a page would have a browser fetch."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "action", "poster")]


def test_markdown_tables_have_as_many_cells_in_every_row() -> None:
    rows = [line for line in markdown.render(BLOCKS).splitlines() if line.startswith("|")]
    assert rows[1] == "|---|---:|"
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}
    assert "x\\|y" in rows[2]


def test_html_needs_nothing_besides_itself(tmp_path: Path) -> None:
    (tmp_path / "curve.png").write_bytes(PIXEL)
    page = html.render(markdown.render(BLOCKS), "Title & <more>", tmp_path)
    found = References(page)
    assert found.fetched[0].startswith("data:image/png;base64,")
    assert found.fetched[1:] == ["curve.svg", "curve.csv"], "links to what is beside it"
    assert not {"script", "link"} & set(found.tags)
    assert found.tags.count("td") == 4
    assert "url(" not in page
    assert "@import" not in page


def test_a_missing_picture_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        html.render("![x](nowhere.png)", "t", tmp_path)


def test_a_panel_without_measurements_is_drawn_empty(tmp_path: Path) -> None:
    stem = tmp_path / "panels"
    full = Panel("full", "x", "y", [Line("a", [1.0, 10.0], [1.0, 2.0]), Line("b", [], [])], logarithmic_x=True, points=True)
    draw_panels([full, Panel("empty", "x", "y", [Line("a", [], [])], 80.0, logarithmic_x=True), Panel("none", "x", "y")], 2, stem)
    assert stem.with_suffix(".png").stat().st_size > 5_000
    assert stem.with_suffix(".csv").read_text() == "panel,line,x,y,low,high\nfull,a,1,1,,\nfull,a,10,2,,\n"


def test_a_figure_s_svg_is_small_and_the_same_in_every_run(tmp_path: Path) -> None:
    time_s = [number / 10 for number in range(1000)]
    lines = [Line(f"flow {one}", time_s, [10 + math.sin(one + 40 * t) for t in time_s]) for one in range(5)]
    files = [tmp_path / folder / "panels.svg" for folder in ("first", "second")]
    for file in files:
        file.parent.mkdir()
        draw_panels([Panel("", "time, s", "Mbit/s", lines)], 1, file.with_suffix(""))
    first, second = (file.read_text() for file in files)
    assert first == second
    assert len(first) < 60_000
    assert not re.search(r' d="[^"]*\.\d{3}', first)
    assert ">time, s</text>" in first
    assert len(files[0].with_suffix(".csv").read_text().splitlines()) <= 1 + 5 * VISIBLE_POINTS


def test_a_long_curve_keeps_its_peaks() -> None:
    time_s = [number / 1000 for number in range(100_000)]
    values = [0.0] * 100_000
    values[77_777], values[123] = 5.0, -3.0
    shown = visible(Line("a", time_s, values))
    assert len(shown.x) <= VISIBLE_POINTS
    assert list(shown.x) == sorted(shown.x)
    assert {(0.123, -3.0), (77.777, 5.0)} <= set(zip(shown.x, shown.y, strict=True))
    short = Line("b", time_s[:10], values[:10], values[:10], values[:10])
    assert visible(short) is short
