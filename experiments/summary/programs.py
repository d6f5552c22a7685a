"""The table of a run of ordinary programs: how long they took, what was lost, how long queues became."""

from __future__ import annotations

from experiments.report.document import Table
from experiments.report.results import Results
from experiments.summary.scheme_rows import scheme_rows
from scenario.file import Point
from scenario.scenario import Scenario

COLUMNS = (
    ("done", "programs_complete", ".0f"),
    ("least, s", "programs_took_least_s", ".3f"),
    ("median, s", "programs_took_median_s", ".3f"),
    ("most, s", "programs_took_most_s", ".3f"),
    ("dropped", "queue_drops", ".0f"),
    ("largest queue", "largest_queue_packets", ".0f"),
)
"""Header, value of the record, format."""


def program_table(results: Results, point: Point, scenario: Scenario) -> Table:
    """A row for each scheme."""
    count = sum(program.count for program in scenario.programs if program.listens_on is None)
    caption = (
        f"how long the programs took from start to end, of {count}; dropped: packets, by the links' queues; "
        "largest queue: packets, seen at any of the links"
    )
    return scheme_rows(COLUMNS, results, point, scenario, caption)
