"""The site of docs/: it can be built, its links lead somewhere, its navigation has every page, and nothing of it comes from the web."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from testbed.site.beside import files_beside, link_on_site, page_of_source, site_path
from testbed.site.glossary import terms, with_terms
from testbed.site.markdown import adapted, local_links
from tests.harness.switches import REPOSITORY
from tests.testbed.built_site import CONFIGURATION, build_site, needs_mkdocs

CONTENT = re.compile(r"<article.*?</article>", re.DOTALL)
HREF = re.compile(r"<a [^>]*href=\"?([^\"\s>]+)")
TAG = re.compile(r"<[^>]*>")
TASKS = [
    pytest.param("tutorial/own-scenario.html", "cubic and bbr over a path of 100 ms", 1, id="compare cubic and bbr over 100 ms"),
    pytest.param("scenarios.html", "queue_bytes", 1, id="what queue_bytes means"),
    pytest.param("own-program.html", "takes your P4_16 program", 1, id="run an own P4 program"),
    pytest.param("controller.html", "When a transmission ends", 1, id="what the controller does when a transmission ends"),
    pytest.param("tutorial/read-a-result.html", "Why bbr differs from the paper", 1, id="why bbr gets less than published"),
]
"""The questions of a new user: the page that answers each, words of the answer, and the most clicks on links in pages' texts."""
LOADED = re.compile(r"<(?:script|img|iframe)[^>]* src=\"?(?:https?:)?//|<link[^>]* rel=\"?stylesheet\"?[^>]* href=\"?https?:|url\(https?:")


def content(page: Path) -> str:
    """A page's own content, without the navigation around it."""
    found = CONTENT.search(page.read_text(encoding="utf-8"))
    assert found is not None
    return found[0]


def clicks(site: Path, wanted: str) -> int:
    """The fewest clicks from the first page, on links in pages' texts."""
    seen, pages, done = {"index.html"}, ["index.html"], 0
    while pages:
        if wanted in pages:
            return done
        links = (
            site / page / ".." / unquote(urlsplit(link).path)
            for page in pages
            for link in HREF.findall(content(site / page))
            if not urlsplit(link).scheme
        )
        found = {str(link.resolve().relative_to(site.resolve())) for link in links if link.suffix == ".html"}
        pages, done = sorted(found - seen), done + 1
        seen |= found
    raise AssertionError(f"no links lead to {wanted}")


def test_a_page_is_put_into_the_dialect_of_the_site() -> None:
    text = "See [it\n1](a.md#b) and [the web](https://example.org):\n- one\n- two\n\n```p4 router.p4\n[not](a.md)\n- x\n```\n"
    assert adapted(text, lambda link: f"else/{link}") == (
        'See [it\n1](else/a.md#b) and [the web](https://example.org):\n\n- one\n- two\n\n```p4 title="router.p4"\n[not](a.md)\n- x\n```\n'
    )
    assert list(local_links(text)) == ["a.md#b"]


def test_the_first_use_of_a_term_is_a_link() -> None:
    glossary = "# Glossary\n\n### Jain's index\n\nA measure.\n\n### MPTCP\n\n### Share\n"
    text = "# MPTCP\n\n`MPTCP`, [MPTCP](x.md), MPTCP and MPTCP, a share, Jain's index.\n"
    assert terms(glossary) == ["Jain's index", "MPTCP"]
    assert with_terms(text, terms(glossary), lambda anchor: f"glossary.md#{anchor}") == (
        "# MPTCP\n\n`MPTCP`, [MPTCP](x.md), [MPTCP](glossary.md#mptcp) and MPTCP, a share, [Jain's index](glossary.md#jains-index).\n"
    )


@pytest.mark.parametrize(
    ("page", "link", "expected"),
    [
        ("docs/links.md", "protocol.md", "protocol.md"),
        ("docs/links.md", "../p4src/README.md", "repository/p4src/README.md"),
        ("docs/links.md", "../protocol/wire.py", "repository/protocol/wire.py.md"),
        ("docs/toolchain/run.md", "../../labs", "../repository/labs/README.md"),
        ("labs/01-forwarding/README.md", "../../docs/links.md", "../../../links.md"),
        ("labs/README.md", "01-forwarding/README.md", "01-forwarding/README.md"),
    ],
)
def test_links_stay_in_the_site(page: str, link: str, expected: str) -> None:
    assert link_on_site(page, link) == expected


def test_pages_and_sources_beside_the_folder_are_found() -> None:
    found = files_beside(["docs/architecture.md", "labs/README.md"])
    assert "labs/01-forwarding/README.md" in found
    assert not any(path.startswith("docs/") for path in found)
    assert page_of_source("protocol/wire.py").startswith("# protocol/wire.py\n\n~~~~~~python\n")
    assert site_path("protocol/wire.py") == "repository/protocol/wire.py.md"


def test_the_navigation_has_every_page() -> None:
    named = set(re.findall(r"[\w/-]+\.md\b", CONFIGURATION.read_text(encoding="utf-8")))
    docs = REPOSITORY / "docs"
    pages = {str(page.relative_to(docs)) for page in docs.rglob("*.md") if "node_modules" not in page.parts}
    assert {page for page in pages if "-quick" not in page} <= named


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build_site(folder)
    return folder


@needs_mkdocs
def test_the_site_is_built_without_warnings_and_needs_no_network(built: Path) -> None:
    files = [*built.rglob("*.html"), *built.rglob("*.css")]
    assert len(files) > 50
    assert [str(file) for file in files if LOADED.search(file.read_text(encoding="utf-8"))] == []
    assert (built / "assets" / "mermaid.js").stat().st_size > 1_000_000
    assert (built / "search" / "search_index.js").exists()


@needs_mkdocs
@pytest.mark.parametrize(("page", "words", "most_clicks"), TASKS)
def test_a_task_is_found_from_the_first_page(built: Path, page: str, words: str, most_clicks: int) -> None:
    text = " ".join(TAG.sub("", content(built / page)).split())
    assert words in text
    assert clicks(built, page) <= most_clicks
