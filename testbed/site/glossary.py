"""Terms of docs/glossary.md become links where a page first uses them."""

from __future__ import annotations

import re
from collections.abc import Callable

from reports.document.blocks import anchor

TERM = re.compile(r"^### (.+)$", re.MULTILINE)
AMBIGUOUS = frozenset(
    {"Batch", "Cell", "Claim", "Event", "Grid", "Group", "P4", "Record", "Refresh", "Reserve", "Share", "Source", "Target"}
)
"""Words that also mean something else; pages link these themselves where they mean the term."""

PROTECTED = re.compile(
    r"(^(?P<fence>```+|~~~+)[\s\S]*?^(?P=fence)$|`[^`]*`|!?\[(?:[^\[\]]|\[[^\]]*\])*\]\([^)]*\)|^#.*$|^ {4}.*$|^\|.*$|<[^>]*>)",
    re.MULTILINE,
)
"""Code, links, headings, tables, blocks and markup stay as they are."""


def terms(glossary: str) -> list[str]:
    """The terms that become links.

    Args:
        glossary: the page that explains them, a heading of the third level each.
    """
    return [term for term in TERM.findall(glossary) if term not in AMBIGUOUS]


def with_terms(text: str, wanted: list[str], link: Callable[[str], str]) -> str:
    """A page in which the first use of each term is a link.

    Args:
        text: of the page, in Markdown.
        wanted: the terms.
        link: makes the target of an anchor of the glossary.
    """
    left = {term.lower(): term for term in sorted(wanted, key=len, reverse=True)}
    if not left:
        return text
    pattern = re.compile(rf"(?<![\w/.-])({'|'.join(map(re.escape, left))})(?:s)?(?![\w/-])", re.IGNORECASE)

    def linked(match: re.Match[str]) -> str:
        term = left.pop(match[1].lower(), None)
        return match[0] if term is None else f"[{match[0]}]({link(anchor(term))})"

    found, end = [], 0
    for kept in PROTECTED.finditer(text):
        found += [pattern.sub(linked, text[end : kept.start()]), kept[0]]
        end = kept.end()
    return "".join([*found, pattern.sub(linked, text[end:])])
