"""The table of docs/congestion-controls.md: every scheme of the testbed has its row, and a picture."""

from __future__ import annotations

import pytest

from hosts.cca import sources
from tests.hosts.transfer import ROOT

DOCUMENT = ROOT / "docs" / "congestion-controls.md"
ROWS = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
DESCRIBED = sorted({scheme for scheme in sources.available() if any(row.startswith(f"| `{scheme}` |") for row in ROWS)})


@pytest.mark.parametrize("name", DESCRIBED)
def test_every_described_scheme_has_its_picture(name: str) -> None:
    (row,) = [row for row in ROWS if row.startswith(f"| `{name}` |") and "pictures/cca/" in row]
    assert f"pictures/cca/{name}.png" in row
    assert (DOCUMENT.parent / "pictures" / "cca" / f"{name}.png").stat().st_size > 5_000
