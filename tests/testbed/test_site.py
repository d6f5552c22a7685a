"""The site of docs/: it can be built, its links lead somewhere, its navigation has every page, and nothing of it comes from the web."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from testbed.site.beside import files_beside, link_on_site, page_of_source, site_path
from testbed.site.glossary import terms, with_terms
from testbed.site.markdown import adapted, local_links
from tests.harness.switches import REPOSITORY

SITE = REPOSITORY / "docs" / "site"
CONFIGURATION = SITE / "mkdocs.yml"
NO_MKDOCS = find_spec("mkdocs") is None or not (SITE / "node_modules").exists()
LOADED = re.compile(r"<(?:script|img|iframe)[^>]* src=\"?(?:https?:)?//|<link[^>]* rel=\"?stylesheet\"?[^>]* href=\"?https?:|url\(https?:")


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


@pytest.mark.skipif(NO_MKDOCS, reason="MkDocs is not installed (`make docs-ready`): the site is NOT built")
def test_the_site_is_built_without_warnings_and_needs_no_network(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(CONFIGURATION), "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    built = [*tmp_path.rglob("*.html"), *tmp_path.rglob("*.css")]
    assert len(built) > 50
    assert [str(file) for file in built if LOADED.search(file.read_text(encoding="utf-8"))] == []
    assert (tmp_path / "assets" / "mermaid.js").stat().st_size > 1_000_000
    assert (tmp_path / "search" / "search_index.js").exists()
