"""The table of docs/congestion-controls.md: a row for every scheme, with its lines as they are and a picture."""

from __future__ import annotations

import re

import pytest
from transfer import ROOT

from hosts.cca import sources

DOCUMENT = ROOT / "docs" / "congestion-controls.md"
SHARED = {"scheme.h", "tcp_bpf.h", "tcp_window.h", "growth.h", "plain_types.h", "settable.h"}
INCLUDE = re.compile(r'^#include "(\w+\.h)"', re.MULTILINE)


def lines(file: str, seen: set[str]) -> list[int]:
    """Lines of a file and of the headers it includes, each once, without those that all schemes share."""
    text = (sources.SOURCE_FOLDER / file).read_text()
    counted = [len(text.splitlines())]
    for header in INCLUDE.findall(text):
        if header not in SHARED | seen:
            seen.add(header)
            counted += lines(header, seen)
    return counted


@pytest.mark.parametrize("name", [scheme.name for scheme in sources.find([])])
def test_every_scheme_has_its_evidence(name: str) -> None:
    (row,) = [line for line in DOCUMENT.read_text().splitlines() if line.startswith(f"| `{name}` |") and line.count("|") == 7]
    _, _, source, seed, counted, verified, figure, _ = (cell.strip() for cell in row.split("|"))
    assert all((source, seed, verified, figure))
    assert sorted(map(int, counted.split("+"))) == sorted(lines(f"{name}.bpf.c", set()))
    assert f"pictures/cca/{name}.png" in figure
    assert (DOCUMENT.parent / "pictures" / "cca" / f"{name}.png").stat().st_size > 5_000
