"""A newcomer on a link that negotiated data fill, with a queue for each class: it opens its connection at once and gets its share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from common.installation import PROJECT
from engine.collect.record import CellRecord
from engine.plan.experiment import Effort
from tests.end_to_end.conftest import measured
from tests.harness.long_tests import only_long
from tests.harness.precision import assert_on_time, within

pytestmark = [pytest.mark.real_time, pytest.mark.usefixtures("nothing_left_behind")]

SCENARIO = PROJECT / "scenario" / "examples" / "newcomer.toml"
RTT_S = 0.04
SLOWER = """
[[events]]
at_s = 3.96
set_link = ["s1", "s2"]
rate_mbps = 12
"""
"""Until A has heard of it, its queue is full when the newcomer comes 40 ms later."""


def newcomer(scenario: Path, scheme: str, folder: Path) -> tuple[CellRecord, float, float]:
    """The record, and how long (s) the newcomer took until it was connected and until it had a rate."""
    (record,) = measured(scenario, folder, effort=Effort(schemes=scheme))
    assert_on_time(record)
    counted = sorted(folder.glob("scratch/*/summaries-h2.jsonl"))[-1]  # of the attempts
    (summary,) = (json.loads(line) for line in counted.read_text().splitlines())
    return record, summary["connected_s"] - summary["start_s"], summary["allocated_s"] - summary["start_s"]


@pytest.mark.parametrize("scheme", ["nodectl(variant=deployable)", pytest.param("nodectl(variant=fair_level)", marks=only_long)])
def test_it_gets_its_share(scheme: str, tmp_path: Path) -> None:
    record, connected_s, allocated_s = newcomer(SCENARIO, scheme, tmp_path)
    assert connected_s < 1.5 * RTT_S
    assert allocated_s < within(8, real=20) * RTT_S
    for name in ("A", "B"):
        assert record.values[f"mean_mbps.{name}"] == pytest.approx(record.values[f"fair_mbps.{name}"], rel=within(0.002, real=0.03))
    assert record.values["queue_drops"] == 0


def test_it_connects_past_a_queue_that_is_full(tmp_path: Path) -> None:
    file = tmp_path / "slower.toml"
    file.write_text(SCENARIO.read_text().replace("queue_packets = 100", "queue_packets = 20") + SLOWER)
    record, connected_s, _ = newcomer(file, "nodectl(variant=deployable)", tmp_path)
    assert (record.values["queue_drops"] or 0) > 0, "A's data had no room"
    assert connected_s < 1.5 * RTT_S
    assert record.facts["negotiation.B"] == "allocated"
