"""Pages as code hosts read them, in the dialect of Python-Markdown: links, code blocks with a file's name, lists behind a paragraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from reports.document.blocks import anchor

FENCE = re.compile(r"^ *(`{3,}|~{3,})")
NAMED_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<language>[\w+-]+) (?P<file>[^\s=]+)$")
LINK = re.compile(r"(?P<before>!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()(?P<target>[^()\s]+)(?P<after>(?:\s+\"[^\"]*\")?\))")
ITEM = re.compile(r"^(?:[-*+]|\d+\.) ")
WEB = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def anchor_of(heading: str, separator: str) -> str:  # noqa: ARG001 - as the `toc` extension calls it
    """A heading's name in links, the same as on code hosts."""
    return anchor(heading)


def local_links(text: str) -> Iterator[str]:
    """Targets of a page's links and pictures that lead to files; code blocks have none."""
    for part, is_code in _parts(text):
        if not is_code:
            yield from (match["target"] for match in LINK.finditer("\n".join(part)) if _is_local(match["target"]))


def adapted(text: str, place: Callable[[str], str]) -> str:
    """A page for Python-Markdown.

    Args:
        text: of the page, as code hosts read it.
        place: makes the target of a local link, without its heading, the one that the link has on the site.
    """

    def moved(match: re.Match[str]) -> str:
        target = match["target"]
        if _is_local(target):
            path, mark, heading = target.partition("#")
            target = f"{place(path)}{mark}{heading}" if path else target
        return f"{match['before']}{target}{match['after']}"

    parts = (_code(part) if is_code else LINK.sub(moved, _prose(part)) for part, is_code in _parts(text))
    return "\n".join(parts) + "\n"


def prose(text: str) -> str:
    """A page without its code blocks."""
    return "\n".join("\n".join(part) for part, is_code in _parts(text) if not is_code)


def _code(lines: Sequence[str]) -> str:
    """A code block, or several, with files' names as titles."""
    return "\n".join(NAMED_FENCE.sub(r'\g<fence>\g<language> title="\g<file>"', line) for line in lines)


def _prose(lines: Sequence[str]) -> str:
    """Text with an empty line between a paragraph and a list below it."""
    found: list[str] = []
    for line in lines:
        before = found[-1] if found else ""
        if ITEM.match(line) and before.strip() and not before.startswith(" ") and not ITEM.match(before):
            found.append("")
        found.append(line)
    return "\n".join(found)


def _is_local(target: str) -> bool:
    return not WEB.match(target) and not target.startswith("#")


def _parts(text: str) -> Iterator[tuple[list[str], bool]]:
    """Neighbouring lines that are all of code blocks, or all not."""
    for is_code, lines in groupby(_lines(text), key=itemgetter(1)):
        yield [line for line, _ in lines], is_code


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Lines, and whether each belongs to a code block."""
    fence = ""
    for line in text.splitlines():
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
            yield line, True
        elif mark and fence and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
            yield line, True
        else:
            yield line, bool(fence)
