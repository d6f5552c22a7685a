"""The rules of plain English that pages and sources keep: short lines, short sentences, and a noun in the place of every noun."""

from __future__ import annotations

import re
from collections.abc import Iterator

from testbed.site.markdown import prose

MOST_LETTERS = 100
MOST_WORDS = 30
LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)")
CODE = re.compile(r"`[^`]*`")
SENTENCE_END = re.compile(r"(?<=[.!?])[)\"”*]*\s+(?=[A-Z0-9`*\[\"“(]|p4c\b)")
HEADLESS = re.compile(
    r"^(?:who(?:ever)?|what(?:ever)?)\b|(?:\b(?:than|for|of|by|with|from|to|and|but|as)|[,;:])\s(?:who|what)\s(?!a\b|an\b|kind\b)",
    re.IGNORECASE,
)
"""A clause in the place of a noun: ``who is not root can …``, ``more than what the port has``. A question may have one."""


def paragraphs(text: str, link: str = r"\1") -> Iterator[str]:
    """Paragraphs and items of lists, each in one line: no code, tables or headings; a link is its text, or ``link``."""
    kept = [line for line in prose(text).splitlines() if not line.lstrip().startswith("|") and not line.startswith(("    ", "#", ":::"))]
    for part in re.split(r"\n\s*\n|\n(?=[-*] |\d+\. )", "\n".join(kept)):
        words = " ".join(CODE.sub("`code`", LINK.sub(link, part)).split())
        if words:
            yield words


def sentences_of(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph."""
    yield from SENTENCE_END.split(CODE.sub("`code`", " ".join(paragraph.split())))


def sentences(text: str, link: str = r"\1") -> Iterator[str]:
    """The sentences of a page."""
    for paragraph in paragraphs(text, link):
        yield from sentences_of(paragraph)


def is_headless(sentence: str) -> bool:
    return not sentence.rstrip(")*").endswith("?") and HEADLESS.search(sentence) is not None
