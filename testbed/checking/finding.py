"""The outcome of one part of a check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from textwrap import indent


class Verdict(StrEnum):
    """The outcome in a word."""

    PASSED = "passed"
    FAILED = "failed"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Finding:
    """The outcome for one file, or for one bar.

    Args:
        verdict: whether it passed.
        what: the file, or the bar.
        reason: why, or what was found; further lines stand below.
    """

    verdict: Verdict
    what: str
    reason: str = ""

    def __str__(self) -> str:
        first, _, rest = f"{self.what}: {self.reason}".removesuffix(": ").partition("\n")
        return f"{self.verdict:<9} {first}" + (f"\n{indent(rest, ' ' * 10)}" if rest else "")


Tell = Callable[[Finding], None]
"""Told of each when it is there."""
