"""The table of docs/congestion-controls.md: each row is of a scheme that exists, and shows a picture that does."""

from __future__ import annotations

import re

import pytest

from bench.tools import PROJECT
from hosts.cca import sources

DOCUMENT = PROJECT / "docs" / "congestion-controls.md"
ROW = re.compile(r"^\| `(?P<name>\w+)` \|.*\[picture\]\((?P<picture>[^)]*)\)", re.MULTILINE)
ROWS = [(match["name"], match["picture"]) for match in ROW.finditer(DOCUMENT.read_text())]


def test_the_table_is_found() -> None:
    assert "nodectl" in dict(ROWS)


@pytest.mark.parametrize(("name", "picture"), ROWS)
def test_a_described_scheme_exists_and_has_its_picture(name: str, picture: str) -> None:
    assert name in sources.available()
    assert (DOCUMENT.parent / picture).stat().st_size > 5_000
