"""How the Nodectl paper's tables are shown: a column a scheme, measured rows above the published one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from experiments.nodectl_paper.setup import PUBLISHED_NAMES, SCHEMES
from experiments.published import published_value
from experiments.reproduction.results import MISSING

HEADER = [PUBLISHED_NAMES[scheme] for scheme in SCHEMES]


def measured_row(row: str, what: str, values: Iterable[str]) -> list[str]:
    """A row of measured values, one a scheme."""
    return [row, f"measured{', ' if what else ''}{what}", *values]


def published_row(row: str, table: dict[str, Any], key: str) -> list[str]:
    """The paper's row."""
    values = [published_value(table, key, scheme) for scheme in SCHEMES]
    return [row, "published", *(MISSING if value is None else f"{value:g}" for value in values)]


def verdict(met: bool | None) -> str:
    """Whether a bar is met, as a word."""
    return "not measured" if met is None else "met" if met else "**missed**"
