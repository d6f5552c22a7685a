"""Plain English on the pages that are written so: short lines, short sentences, and no clause that begins with a "who" of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from testbed.site.generated import GENERATED
from testbed.site.markdown import prose
from tests.harness.plain_english import MOST_LETTERS, MOST_WORDS, is_headless, paragraphs, sentences
from tests.harness.switches import REPOSITORY

WRITTEN_BY_PROGRAMS = ("docs/reproduction/",)
FOLDERS = ("docs", "labs", "p4src", "switch/packages", "virtual_time/kernel")
PLAIN = sorted(
    page
    for page in [
        REPOSITORY / "README.md",
        REPOSITORY / "CONTRIBUTING.md",
        *(page for folder in FOLDERS for page in (REPOSITORY / folder).rglob("*.md")),
    ]
    if "node_modules" not in page.parts and not str(page.relative_to(REPOSITORY)).startswith(WRITTEN_BY_PROGRAMS)
)
"""All pages that people write."""

BEGINS = ("This page ", "This site ", "This testbed ", "**Goal.** ")


def text_of(page: Path | str) -> str:
    return GENERATED[page]() if isinstance(page, str) else page.read_text(encoding="utf-8")


DESCRIPTION = REPOSITORY / "switch" / "packages" / "README.md"
"""The description of a package, which no other page stands beside."""
PAGES: list[Path | str] = [*(page for page in PLAIN if page != DESCRIPTION), *GENERATED]


def name(page: Path | str) -> str:
    return page if isinstance(page, str) else str(page.relative_to(REPOSITORY))


@pytest.mark.parametrize("page", PLAIN, ids=name)
def test_lines_are_short(page: Path) -> None:
    lines = [line for line in prose(text_of(page)).splitlines() if not line.lstrip().startswith("|") and not line.startswith("    ")]
    assert [line for line in lines if len(line) > MOST_LETTERS and " " in line.strip()] == []


@pytest.mark.parametrize("page", PLAIN, ids=name)
def test_sentences_are_short_and_have_their_nouns(page: Path) -> None:
    text = text_of(page)
    assert [one for one in sentences(text) if len(one.split()) > MOST_WORDS] == []
    assert [one for one in sentences(text, link="its name") if is_headless(one)] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_begins_with_its_use_and_ends_with_the_next_step(page: Path | str) -> None:
    text = text_of(page)
    first, *_, last = paragraphs(text, link=r"\1](")
    assert first.startswith(BEGINS)
    assert "](" in last, "the last paragraph leads to another page"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Who is not root can install nothing.", True),
        ("It takes more than what the port has.", True),
        ("Who sends?", False),
        ("The page shows what hosts can take.", False),
        ("The sender, who waits, asks again.", True),
    ],
)
def test_a_headless_clause_is_found(sentence: str, expected: bool) -> None:
    assert is_headless(sentence) == expected


def test_a_page_falls_into_sentences() -> None:
    text = "# A\n\nOne is [a\nlink](b.md). Two: `x. Y`.\n\n| a | b |\n\n    code. Code.\n\n- Three.\n- Four.\n"
    assert list(sentences(text)) == ["One is a link.", "Two: `code`.", "- Three.", "- Four."]
