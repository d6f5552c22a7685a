"""The table of a run with workloads: times of transmissions, losses, rates granted beyond capacity, and the work that they made."""

from __future__ import annotations

from reports.document.blocks import Table
from reports.results import Results
from reports.summary.scheme_rows import scheme_rows
from scenario.file import Point
from scenario.scenario import Scenario

COLUMNS = (
    ("transmissions", "transmissions", ".0f"),
    ("load, %", "offered_load_percent", ".1f"),
    ("unfinished", "unfinished", ".0f"),
    ("median, ms", "completion_median_ms", ".0f"),
    ("p99, ms", "completion_p99_ms", ".0f"),
    ("slowdown", "slowdown_median", ".2f"),
    ("its p99", "slowdown_p99", ".1f"),
    ("dropped", "queue_drops", ".0f"),
    ("granted, %", "most_granted_percent", ".1f"),
    ("over capacity, s", "above_capacity_s", ".2f"),
    ("records", "most_records", ".0f"),
    ("messages", "messages_per_transmission", ".1f"),
    ("events", "controller_events_per_transmission", ".1f"),
    ("entries", "controller_entries_per_transmission", ".1f"),
)
"""Header, value of the record, format."""


def workload_table(results: Results, point: Point, scenario: Scenario) -> Table:
    """The table of one point: a row for each scheme, with the columns of ``COLUMNS``."""
    run = scenario.run
    caption = (
        f"transmissions that were to start from {run.measure_from_s:g} to {run.measured_to_s:g} s; load: of the link that the "
        "workload is to load, as it was drawn. Median, p99: from the planned start until the last byte was read, for unfinished "
        "ones until the run's end. Slowdown: over the time that each takes alone, a round trip and its payload at the narrowest link's "
        "rate. Dropped: packets, by the links' queues. Granted: the most that senders had at once of the capacity of a link between "
        "switches. Over capacity: for how long they had more. Records: transmissions that had a rate at once on one link. Messages, "
        "events, entries: a transmission's, of its sender, and of the controller (packet-ins, and entries of packet-outs)"
    )
    return scheme_rows(COLUMNS, results, point, scenario, caption)
