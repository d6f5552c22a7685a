"""Reports: right tables in Markdown, and an HTML file that needs nothing besides itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest

from experiments.reproduction import html, markdown
from experiments.reproduction.command import PAPERS, Request, chosen, find_paper
from experiments.reproduction.document import Block, Heading, Picture, Table, Text
from experiments.reproduction.experiment import Effort
from experiments.reproduction.figures import Line, Panel, draw_panels
from experiments.reproduction.report import write_report
from experiments.reproduction.store import ResultStore
from protocol.errors import UserError

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)
BLOCKS: list[Block] = [
    Heading("Title & <more>", 1),
    Text("One *two*.\n\n- item"),
    Table("Unit | caption.", ["a", "b"], [["x|y", "1.0 [0.9…1.1]"], ["<script>", "2"]]),
    Picture("curve", "A [curve]", lambda file: file.touch()),
]


class References(HTMLParser):
    """Collects what a page would have a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "action", "poster")]


def references(page: str) -> References:
    parser = References()
    parser.feed(page)
    return parser


def test_markdown_tables_have_as_many_cells_in_every_row() -> None:
    text = markdown.render(BLOCKS)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert rows[1] == "|---|---:|"
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}
    assert "x\\|y" in rows[2]


def test_html_needs_nothing_besides_itself(tmp_path: Path) -> None:
    (tmp_path / "curve.png").write_bytes(PIXEL)
    page = html.render(markdown.render(BLOCKS), "Title & <more>", tmp_path)
    found = references(page)
    assert found.fetched
    assert all(reference.startswith("data:image/png;base64,") for reference in found.fetched)
    assert "script" not in found.tags
    assert "link" not in found.tags
    assert found.tags.count("td") == 4
    assert "url(" not in page
    assert "@import" not in page


def test_a_missing_picture_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        html.render("![x](nowhere.png)", "t", tmp_path)


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_writes_a_report_before_anything_is_measured(name: str, tmp_path: Path) -> None:
    paper = find_paper(name)
    in_markdown, in_html = write_report(paper, paper.experiments, ResultStore(tmp_path), Effort(), "make reproduce")
    assert "Nothing measured yet" in in_markdown.read_text()
    assert references(in_html.read_text()).tags


@pytest.mark.parametrize("name", PAPERS)
@pytest.mark.parametrize("quick", [True, False])
def test_cells_of_a_paper_have_names_of_their_own(name: str, quick: bool) -> None:
    for experiment in find_paper(name).experiments:
        cells = experiment.cells(Effort(quick, 2))
        keys = [cell.key for cell in cells]
        assert len(set(keys)) == len(keys)
        assert all(len(part) < 200 for key in keys for part in key.split("/"))
        specs: Mapping[str, object] = {cell.key: experiment.network(cell) for cell in cells}
        assert len(specs) == len(keys)
        assert all(experiment.duration_s(cell) > 0 for cell in cells)


def test_requests_for_what_does_not_exist_are_refused() -> None:
    with pytest.raises(UserError, match="PAPER=nowhere"):
        find_paper("nowhere")
    with pytest.raises(UserError, match="table99"):
        chosen(find_paper("nodectl"), ("table3", "table99"))
    assert Request("nodectl", ("table3",), quick=True).command == "make reproduce PAPER=nodectl ONLY=table3 QUICK=1"


def test_a_panel_without_measurements_is_drawn_empty(tmp_path: Path) -> None:
    file = tmp_path / "panels.png"
    full = Panel("full", "x", "y", [Line("a", [1.0, 10.0], [1.0, 2.0]), Line("b", [], [])], logarithmic_x=True, points=True)
    draw_panels([full, Panel("empty", "x", "y", [Line("a", [], [])], 80.0, logarithmic_x=True), Panel("none", "x", "y")], 2, file)
    assert file.stat().st_size > 5_000
