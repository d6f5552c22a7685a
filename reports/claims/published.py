"""Published values of papers, ``reports/papers/PAPER/published.toml``: shown beside measured ones, never used as one."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from common.errors import UserError

PAPERS = Path(__file__).resolve().parents[1] / "papers"


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper; ``keys`` has the paper's names of schemes that have other names here."""

    rows: dict[str, Any]
    keys: dict[str, str]

    def value(self, row: str, scheme: str) -> float | None:
        """The value of a row's scheme, or None if the paper has none; the row without a name is the table itself."""
        values = self.rows.get(row, {}) if row else self.rows
        value = values.get(self.keys.get(scheme, scheme)) if isinstance(values, dict) else None
        return float(value) if isinstance(value, int | float) else None


def published_table(reference: str, keys: dict[str, str] | None = None) -> PublishedTable:
    """The table ``PAPER/TABLE``.

    Args:
        reference: paper and table.
        keys: the paper's names of schemes, which override those of its file.

    Raises:
        UserError: there is no such table.
    """
    paper, _, table = reference.partition("/")
    try:
        content = _read(PAPERS / paper / "published.toml")
        return PublishedTable(content[table], content.get("scheme_names", {}) | (keys or {}))
    except (OSError, KeyError):
        raise UserError(f"there is no published table {reference!r}", "reports/papers/PAPER/published.toml has the names") from None


@cache
def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))
