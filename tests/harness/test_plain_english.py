"""Plain English on the pages that are written so: short lines, short sentences, and no clause that begins with a "who" of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from testbed.site.generated import GENERATED
from testbed.site.markdown import prose
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

MOST_LETTERS = 100
MOST_WORDS = 30
BEGINS = ("This page ", "This site ", "This testbed ", "**Goal.** ")
LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)")
CODE = re.compile(r"`[^`]*`")
SENTENCE_END = re.compile(r"(?<=[.!?])[)\"”*]*\s+(?=[A-Z0-9`*\[\"“(]|p4c\b)")
HEADLESS = re.compile(
    r"^(?:who(?:ever)?|what(?:ever)?)\b|(?:\b(?:than|for|of|by|with|from|to|and|but|as)|[,;:])\s(?:who|what)\s(?!a\b|an\b|kind\b)",
    re.IGNORECASE,
)
"""A clause in the place of a noun: "who is not root can …", "more than what the port has". A question may have one."""


def paragraphs(text: str, link: str = r"\1") -> Iterator[str]:
    """Paragraphs and items of lists, each in one line: no code, tables or headings; a link is its text, or ``link``."""
    kept = [line for line in prose(text).splitlines() if not line.lstrip().startswith("|") and not line.startswith(("    ", "#", ":::"))]
    for part in re.split(r"\n\s*\n|\n(?=[-*] |\d+\. )", "\n".join(kept)):
        words = " ".join(CODE.sub("`code`", LINK.sub(link, part)).split())
        if words:
            yield words


def sentences(text: str, link: str = r"\1") -> Iterator[str]:
    """The sentences of a page."""
    for paragraph in paragraphs(text, link):
        yield from SENTENCE_END.split(paragraph)


def is_headless(sentence: str) -> bool:
    return not sentence.rstrip(")*").endswith("?") and HEADLESS.search(sentence) is not None


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
