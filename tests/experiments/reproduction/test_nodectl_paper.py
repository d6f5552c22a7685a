"""The Nodectl paper's tables from made-up results: bars, ratios, and published values that stay apart from measured ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from experiments.reproduction.cell import CellRecord
from experiments.reproduction.experiment import Effort, Experiment
from experiments.reproduction.store import ResultStore

from experiments.nodectl_paper.paper import PAPER
from experiments.nodectl_paper.table6_loss import PARTS, ratio_percent
from experiments.reproduction.document import Table, Text
from experiments.reproduction.report import write_report
from experiments.reproduction.results import Results
from tests.experiments.reproduction.test_store import record

MARK = 123.25
"""No published value is this."""

VALUES: dict[str, list[str]] = {
    "table3": ["time_to_bdp_ms", "largest_in_flight_kb"],
    "table4": ["utilization_percent", "throughput_mbps", "took_ms"],
    "table5": [
        "rtt_range_ms", "rtt_range_98_percent_ms", "rtt_median_ms", "throughput_range_mbps", "throughput_mean_mbps",
        "lateness_max_ms", "lateness_p99_ms",
    ],
    "table6": ["throughput_mbps", "utilization_percent"],
    "table7": ["mean_mbps_A", "mean_mbps_B", "mean_mbps_C", "jain", "dropped_packets"],
    "differences": ["utilization_percent", "time_to_bdp_ms", "queue_drops"],
}  # fmt: skip
SERIES = [
    "time_s", "in_flight_kb", "rtt_time_s", "rtt_ms", "throughput_time_s", "throughput_mbps", "mbps_A", "mbps_B", "mbps_C", "dropped",
]  # fmt: skip


def experiment(name: str) -> Experiment:
    return next(one for one in PAPER.experiments if one.name == name)


def made_up(name: str, effort: Effort, value: float = MARK) -> list[CellRecord]:
    values: dict[str, Any] = dict.fromkeys(VALUES[name], value)
    series = {one: [0.0, 1.0] for one in SERIES}
    return [record(cell, values=values, series=series) for cell in experiment(name).cells(effort)]


def tables(name: str, records: list[CellRecord]) -> list[Table]:
    return [block for block in experiment(name).report(Results(records)) if isinstance(block, Table)]


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("quick", [True, False])
def test_measured_and_published_are_rows_of_their_own(name: str, quick: bool) -> None:
    found = tables(name, made_up(name, Effort(quick, 2)))
    assert sum(len(table.rows) for table in found) > 0
    for table in found:
        assert all(len(row) == len(table.header) for row in table.rows)
        for row in table.rows:
            values = [cell for cell in row[table.left_columns :] if cell != "—"]
            if "published" in row:
                assert not any(cell.startswith("123") for cell in values)
            elif any(kind.startswith("measured") for kind in row) and name != "table6":
                assert all(cell.startswith("123") for cell in values)


def test_published_rows_are_those_of_the_paper() -> None:
    table = tables("table3", made_up("table3", Effort()))[0]
    published = [row for row in table.rows if "published" in row]
    assert [row[2:] for row in published] == [
        ["121", "121", "139", "41"], ["596", "596", "702", "162"], ["168", "168", "194", "40"], ["820", "820", "920", "160"],
    ]  # fmt: skip


def texts(name: str, records: list[CellRecord]) -> str:
    return "\n".join(block.markdown for block in experiment(name).report(Results(records)) if isinstance(block, Text))


def test_a_bar_is_judged_by_what_was_measured() -> None:
    assert "missed" in texts("table3", made_up("table3", Effort(), 250.0))
    assert "missed" not in texts("table3", made_up("table3", Effort(), 40.0))
    assert "missed" in texts("table4", made_up("table4", Effort(), 60.0))
    assert "missed" not in texts("table4", made_up("table4", Effort(), 73.0))
    assert "not measured" in texts("table4", made_up("table4", Effort())[:1])


def test_a_ratio_is_of_two_runs_of_the_same_repetition() -> None:
    part = PARTS[0]
    records = [
        record(cell, values={"throughput_mbps": 80.0 if cell["loss_percent"] == 0 else 40.0 * cell.repetition, "utilization_percent": 1.0})
        for cell in experiment("table6").cells(Effort(quick=True, repetitions=2))
        if cell["part"] == "a" and cell.scheme == "nodectl"
    ]
    found = ratio_percent(Results(records), part, "nodectl")
    assert found is not None
    assert (found.lowest, found.highest, found.count) == (50.0, 100.0, 2)
    assert ratio_percent(Results(records[:1]), part, "nodectl") is None


def test_the_whole_report_from_made_up_results(tmp_path: Path) -> None:
    store, effort = ResultStore(tmp_path), Effort(quick=True, repetitions=1)
    chosen = [one for one in PAPER.experiments if one.name in VALUES]
    for name in VALUES:
        for one in made_up(name, effort):
            store.save(one)
    in_markdown, in_html = write_report(PAPER, chosen, store, effort, "make reproduce")
    assert "Where and why the other schemes differ" in in_markdown.read_text()
    assert in_html.read_text().count("data:image/png;base64,") >= 6
