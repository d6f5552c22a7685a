"""Links between the repository's pages: each leads to a file that is there, and to a heading that it has."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from reports.document.blocks import anchor
from tests.harness.switches import REPOSITORY

FOLDERS = ("docs", "labs", "p4src", "reports", "scenario", "switch/packages", "testbed", "view", "virtual_time")
PAGES = sorted(
    [
        *REPOSITORY.glob("*.md"),
        *(page for folder in FOLDERS for page in (REPOSITORY / folder).rglob("*.md") if "node_modules" not in page.parts),
    ]
)


@cache
def tokens(page: Path) -> list[Token]:
    return MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    """Where a page's links and pictures lead, but for those to the web."""
    parts = [part for token in tokens(page) for part in token.children or []]
    found = [str(part.attrs[name]) for part in parts for name in ("href", "src") if name in part.attrs]
    return [link for link in found if not urlsplit(link).scheme]


@cache
def anchors(page: Path) -> set[str]:
    """The headings' names in links, as code hosts make them."""
    return {anchor(after.content) for token, after in pairwise(tokens(page)) if token.type == "heading_open"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        path, _, heading = unquote(link).partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{link}: there is no such file"
        assert not heading or heading in anchors(target), f"{link}: there is no such heading"


def test_pages_and_links_are_found() -> None:
    assert {REPOSITORY / "README.md", REPOSITORY / "docs" / "p4-toolchain.md"} <= set(PAGES)
    assert "../command-lines.md#p4c-bm2-ss-and-p4c" in links(REPOSITORY / "docs" / "toolchain" / "compile.md")
