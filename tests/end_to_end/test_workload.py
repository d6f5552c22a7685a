"""Hundreds of transmissions that come by chance, some hosts with many at once, to the same receiver too: the whole path, for seconds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.collect.record import CellRecord
from reports.experiment import ReportedExperiment
from reports.summary.completion_picture import draw_completions
from tests.end_to_end.conftest import measured
from tests.harness.long_tests import LONG
from tests.harness.precision import assert_on_time

pytestmark = [pytest.mark.real_time, pytest.mark.usefixtures("nothing_left_behind")]

NODECTL, DEPLOYABLE, CUBIC = "nodectl", "nodectl(variant=deployable)", "cubic"
NEGOTIATED = (NODECTL, DEPLOYABLE) if LONG else (DEPLOYABLE,)

SCENARIO = """
schema = 2
title = "Load, for the tests"

[topology]
kind = "dumbbell"
pairs = 2
access = { rate_mbps = 100, delay_ms = 1 }
bottleneck = { rate_mbps = 20, delay_ms = 8, queue_packets = 100, priorities = 3 }

[[workloads]]
name = "web"
senders = ["h1", "h2"]
receivers = ["h3"]
arrivals = { kind = "load", percent = 60, link = ["s1", "s2"] }
sizes = { kind = "web", most_bytes = 200_000 }
stop_s = 3

[[figures]]
name = "completion"
caption = "for the series"
panels = [{ series = ["completion.*"] }]

[run]
schemes = {schemes}
duration_s = 7
measure_from_s = 0.5
measure_to_s = 3
attempts = 5
"""


def test_they_all_end_and_what_they_took_is_told(tmp_path: Path) -> None:
    file = tmp_path / "load.toml"
    file.write_text(SCENARIO.replace("{schemes}", json.dumps([*NEGOTIATED, CUBIC])))
    records = {record.scheme: record for record in measured(file, tmp_path)}
    assert {scheme: record.values["unfinished"] for scheme, record in records.items()} == dict.fromkeys(records, 0)
    for record in records.values():
        assert_on_time(record)
        assert (record.values["transmissions"] or 0) > 60
        assert min(_slowdowns(record)) > 1, "nobody is faster than alone on the network"
        assert len(_slowdowns(record)) == record.values["transmissions"]
        assert record.values["offered_load_percent"] == records[CUBIC].values["offered_load_percent"]
    for scheme in NEGOTIATED:
        values = records[scheme].values
        # Of each: a request and a success at the sender; admitted, confirmed, removed at both switches.
        assert (values["messages_per_transmission"] or 0) > 2
        assert (values["controller_events_per_transmission"] or 0) > 2 * 3
        assert (values["most_records"] or 0) > 2
    deployable = records[DEPLOYABLE].values
    assert deployable["overcommitted"] == 0
    assert deployable["above_capacity_s"] == 0
    assert NODECTL not in records or records[NODECTL].values["overcommitted"] is None
    assert "above_capacity_s" not in records[CUBIC].values

    ((_, scenario),) = ReportedExperiment.read(file).scenarios
    draw_completions(scenario, list(records.values()), tmp_path / "completion.png")
    assert (tmp_path / "completion.png").stat().st_size > 10_000


def _slowdowns(record: CellRecord) -> list[float]:
    return [took / ideal for took, ideal in zip(record.series["completion.took_s"], record.series["completion.ideal_s"], strict=True)]
