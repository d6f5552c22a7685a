"""The digits of `make run` that the pages publish."""

from __future__ import annotations

import re

from tests.harness.switches import REPOSITORY

LINE = re.compile(r"\(samples:\s+(.*?)\)", re.DOTALL)
README_ROW = re.compile(r"^\| (\w+) \| (\d.*) \|$", re.MULTILINE)
COLUMNS_OF_README = (1, 2, 3, 5, 6)
"""Of the run's table: without the column "all"."""


def published() -> dict[str, str]:
    """The checksum of each scheme's samples."""
    found = LINE.search((REPOSITORY / "docs" / "timing.md").read_text())
    assert found is not None
    return dict(re.findall(r"(\w+)\s+([0-9a-f]{16})", found[1]))


def published_rows() -> dict[str, list[str]]:
    """The cells of README's table, by scheme."""
    return {scheme: cells.split(" | ") for scheme, cells in README_ROW.findall((REPOSITORY / "README.md").read_text())}


def printed_rows(said: str) -> dict[str, list[str]]:
    """The same cells of the table that a run prints, by scheme.

    Args:
        said: all that it prints.
    """
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in said.splitlines() if line.startswith("│")]
    return {row[0]: [row[column] for column in COLUMNS_OF_README] for row in rows if row[0] in published_rows()}
