"""Other numbers and other names, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_OPPOSITES = [
    ("source", "destination"), ("sender", "receiver"), ("ingress", "egress"), ("enq", "deq"), ("min", "max"), ("least", "most"),
    ("first", "second"), ("heavy", "light"), ("HEAVY", "LIGHT"), ("received_from", "received_at"), ("TCP", "UDP"), ("last", "least"),
]  # fmt: skip
_NUMBER = re.compile(r"(\d+[ws])?(0[xX])?([0-9a-fA-F_]+?)([uUlL]*)")


def other_numbers(text: str) -> list[str]:
    """One more, one less, and 0, written as the number is."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return []
    width, prefix, digits, suffix = (part or "" for part in match.groups())
    value = int(digits.replace("_", ""), 16 if prefix else 10)
    others = {value + 1, max(0, value - 1), 0} - {value}
    return [f"{width}{prefix}{f'{other:x}' if prefix else other}{suffix}" for other in sorted(others)]


def swapped(word: str) -> Iterator[str]:
    """The name with one part of it exchanged for its opposite: ``source_port`` for ``destination_port``."""
    for one, other in _OPPOSITES:
        for old, new in ((one, other), (other, one)):
            parts = f"_{word}_".split(f"_{old}_")
            if len(parts) == 2:
                yield f"_{new}_".join(parts)[1:-1]


def siblings(word: str, words: Sequence[str]) -> list[str]:
    """The next constant whose name begins alike: ``TYPE_FAILURE`` for ``TYPE_SUCCESS``."""
    family, _, rest = word.partition("_")
    if not rest or not word.isupper():
        return []
    known = list(dict.fromkeys(other for other in words if other.isupper() and other.startswith(f"{family}_")))
    other = known[(known.index(word) + 1) % len(known)]
    return [] if other == word else [other]
