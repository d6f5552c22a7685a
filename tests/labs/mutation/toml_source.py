"""Changes of files in TOML."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.labs.mutation.c_like import changes_in as changes_of_rule
from tests.labs.mutation.mutant import Change

_KEY = re.compile(r"(?P<key>[\w.]+) *= *(?=\S)")
_COMMENT = re.compile(r"[ \t]*#[^\n]*")
_NUMBER = re.compile(r"(?<![\w.\"])-?\d+(?:\.\d+)?(?![\w.\"])")
_TEXT = re.compile(r'"[^"\n]*"')
_RULES = ("rule", "per")
_FACTORS = (0.0, 0.1, 0.5, 0.9, 1.1, 2.0, 10.0)


def changes_in(text: str, words: dict[str, list[str]]) -> Iterator[Change]:
    """All changes of a file: other numbers, other words, lines and tables that are not there.

    Args:
        text: of it.
        words: for texts that are one of several, the others.
    """
    commented = [match.span() for match in _COMMENT.finditer(text)]
    texts = [match.span() for match in _TEXT.finditer(text)]

    def is_free(at: int, spans: list[tuple[int, int]]) -> bool:
        return not any(start <= at < end for start, end in spans)

    for match in _NUMBER.finditer(text):
        if is_free(match.start(), commented) and is_free(match.start(), texts):
            yield from (Change(*match.span(), f"{float(match[0]) * factor:.12g}") for factor in _FACTORS)
    for start, end in texts:
        inner = text[start + 1 : end - 1]
        line = text[text.rfind("\n", 0, start) + 1 : start]
        yield from (Change(start + 1, end - 1, other) for other in words.get(inner, []))
        if line.strip().startswith("rule") or inner.startswith("= "):
            for change in changes_of_rule(inner, true="1 == 1", false="1 == 2"):
                yield Change(start + 1 + change.start, start + 1 + change.end, change.put)
    for match in re.finditer(r"\b(true|false)\b", text):
        if is_free(match.start(), commented) and is_free(match.start(), texts):
            yield Change(*match.span(), "false" if match[0] == "true" else "true")
    yield from _missing(text)


def _missing(text: str) -> Iterator[Change]:
    for match in re.finditer(r"^\w+ *=[^\n]*\n", text, re.MULTILINE):
        yield Change(*match.span(), "")
    for match in re.finditer(r"^\[[^\n]*\n(?:(?!\[)[^\n]*\n)*", text, re.MULTILINE):
        yield Change(*match.span(), "")
    for match in re.finditer(r"(?<=[{,]) *\w+ = (?:\[[^\]]*\]|\{[^}]*\}|[^,}\n]+)(?:,|(?= *\}))", text):
        yield Change(*match.span(), "")
    for match in re.finditer(r"(?<=\[)[^\[\]\n]*(?=\])", text):
        parts = match[0].split(", ")
        if len(parts) > 1:
            yield from (
                Change(*match.span(), ", ".join(part for number, part in enumerate(parts) if number != left)) for left in range(len(parts))
            )
