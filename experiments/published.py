"""Published figures of the five papers, as data. They are shown beside measured values and are never used as one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from protocol.errors import UserError

PUBLISHED_FILE = Path(__file__).with_name("published.json")

PUBLISHED_SCHEMES = {"reno": "newreno"}
"""The papers' names of schemes that the kernel calls otherwise."""


def published_table(reference: str) -> dict[str, Any]:
    """The table ``paper/table``.

    Raises:
        UserError: there is no such table.
    """
    paper, _, table = reference.partition("/")
    data: dict[str, dict[str, Any]] = json.loads(PUBLISHED_FILE.read_text(encoding="utf-8"))
    try:
        found: dict[str, Any] = data[paper][table]
    except KeyError:
        raise UserError(f"there is no published table {reference!r}", f"{PUBLISHED_FILE.name} has the names") from None
    return found


def published_value(table: dict[str, Any], row: str, scheme: str) -> float | None:
    """The value of a row's scheme, or None if the paper has none."""
    values = table.get(row, {})
    value = values.get(PUBLISHED_SCHEMES.get(scheme, scheme)) if isinstance(values, dict) else None
    return float(value) if isinstance(value, int | float) else None
