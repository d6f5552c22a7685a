"""A report's verdicts on its claims are read from it, and stand beside the verdicts of today's rules on the records."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.collect.kept_records import KeptRecords
from engine.collect.store import ResultStore
from engine.plan.cell import Cell
from reports.claims.claims_table import verdicts_in
from reports.document.markdown import render
from reports.reproduce import claims
from tests.reports.papers import keep_results, rates_of, use_papers

REPORT = """# A paper

## First

- “It is fast” (section 1; here: (a) and (b)): **confirmed** at all 2 points
- “It is fast” (section 2): **not confirmed** (reno 1)
- “It is quiet” (section 3): not judged; without a value: the one point
- “It is small” (section 4): **differs**: confirmed at 1 of 2 points, only `small` at 1

## Second

- “It is fast” (section 5): **undecided**: the seeds leave it open (reno 1)
"""


def test_verdicts_are_read_from_a_report() -> None:
    assert verdicts_in(REPORT) == {
        ("First", "It is fast"): ["confirmed", "not confirmed"],
        ("First", "It is quiet"): ["not judged"],
        ("First", "It is small"): ["differs"],
        ("Second", "It is fast"): ["undecided"],
    }


def test_a_report_without_claims_has_no_verdicts() -> None:
    assert verdicts_in("") == verdicts_in("# A paper\n\n## First\n\nNothing is claimed.\n") == {}


def test_the_table_has_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_papers(monkeypatch, tmp_path / "papers", "first", "second")
    store = ResultStore(tmp_path / "results")
    keep_results(store, rates_of("first"), values)
    KeptRecords(tmp_path / "docs" / "first").keep(store, rates_of("first").cells())
    (tmp_path / "old" / "first").mkdir(parents=True)
    (tmp_path / "old" / "first" / "report.md").write_text("## Made up\n\n- “All is well” (section 1): **not confirmed** (reno 1)\n")
    text = render([claims(tmp_path / "docs", tmp_path / "old")])
    assert "| first/rates/1 | All is well |  | not confirmed | confirmed |" in text
    assert "| first/rates/4 | It is slow | yes | — | not confirmed |" in text
    assert "| second/rates/1 | All is well |  | — | not judged |" in text, "nothing of it is kept"


def values(cell: Cell) -> dict[str, float | None]:
    rate = float(cell.parameters["rate_mbps"])
    return {"total_mbps": rate * {"reno": 0.8, "cubic": 0.7, "nodectl": 0.9}[cell.scheme]}
