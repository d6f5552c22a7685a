"""A short cell of each of the other papers on a real network."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.collect.record import CellRecord
from engine.metrics.series import TIME
from reports.experiment import ReportedExperiment
from reports.paper import read_paper
from tests.end_to_end.conftest import measured
from tests.harness.long_tests import only_long
from tests.harness.precision import SHARE, assert_on_time, within

pytestmark = [pytest.mark.real_time, pytest.mark.usefixtures("nothing_left_behind")]


def short_cell(folder: Path, paper: str, experiment: str, curves: set[str], changes: str) -> CellRecord:
    """A cell of an experiment with some changes: every value has a number, and there are the curves that its figures draw."""
    file, base = folder / f"{experiment}.toml", read_paper(paper).folder / f"{experiment}.toml"
    file.write_text(f'schema = 2\nbase = "{base}"\n{changes}', encoding="utf-8")
    (record,) = measured(file, folder)
    assert_on_time(record)
    assert {name for name in ReportedExperiment.read(file).definition.metrics if record.values[name] is None} == set()
    assert {name for name in record.series if not name.endswith(TIME)} == curves
    return record


def number(record: CellRecord, name: str) -> float:
    """A value that was measured."""
    found = record.values[name]
    assert found is not None
    return found


def test_qtcolfair_keeps_its_rtt_near_alpha_times_the_smallest(tmp_path: Path) -> None:
    changes = """
grid = { length = ["usual"] }
topology.bottleneck = { rate_mbps = 20, delay_ms = 20, queue_packets = 345 }
run = { schemes = ["qtcolfair"], duration_s = 5, measure_from_s = 3, repetitions = 1 }
metrics.utilization_percent.of_mbps = 20
metrics.of_ceiling_percent.of_mbps = 20
"""
    record = short_cell(tmp_path, "qtcolfair", "single_flow", {"packets.f1", "rtt.f1"}, changes)
    assert number(record, "rtt_ms_median") == pytest.approx(1.2 * 40.4, rel=0.1)
    assert number(record, "in_flight_median") == pytest.approx(1.2 * 69, rel=0.15)
    assert number(record, "of_ceiling_percent") > 97
    assert number(record, "of_ceiling_percent") / number(record, "utilization_percent") == pytest.approx(1514 / 1448)
    assert number(record, "rtt_ms_low") <= number(record, "rtt_ms_q1") <= number(record, "rtt_ms_q3") <= number(record, "rtt_ms_high")
    assert record.values["queue_drops"] == 0


def test_msstcp_follows_the_channel_and_meets_its_errors(tmp_path: Path) -> None:
    changes = """
grid = { per = ["byte"], buffer_mb = [2.5], error_rate = [1e-7] }

[topology.bottleneck]
rate_mbps = 20
delay_ms = 10
queue_bytes = 50_000
byte_error_rate = 1e-6
trace = [{ at_s = 0, rate_mbps = 20 }, { at_s = 2, rate_mbps = 5 }]
reverse.rate_mbps = 20

[run]
schemes = ["msstcp"]
start_jitter_ms = 0
duration_s = 4
repetitions = 1

[metrics.after_percent]
from_s = 3
to_s = 4
"""
    record = short_cell(tmp_path, "msstcp", "mobile_user", {"window.A", "throughput.A", "fair.A"}, changes)
    assert number(record, "fair_mbps") == pytest.approx(12.5 * 1448 / 1514), "20 for 2 s, 5 for 2 s"
    assert 70 < number(record, "channel_percent") <= 100
    assert 90 < number(record, "after_percent") < 105
    # 10⁻⁶ a byte are 0.15 % of full packets: 6 of some 4000.
    assert 0 < number(record, "lost_percent") < 0.5
    assert number(record, "packet_rtt_ms") > 20


@pytest.mark.parametrize("scheme", ["libra", pytest.param("nodectl", marks=only_long)])
def test_four_share_the_butterfly(tmp_path: Path, scheme: str) -> None:
    changes = f"""
grid = [{{ others = ["none"], buffer = ["200"], capacity_mbps = [10], duration_s = [5] }}]
run.schemes = ["{scheme}"]
"""
    record = short_cell(tmp_path, "libra", "fairness", {"jain_cumulative"}, changes)
    rates = [number(record, f"mean_mbps.S{n}") for n in (1, 2, 3, 4)]
    assert number(record, "jain_half") == pytest.approx(sum(rates) ** 2 / (4 * sum(rate**2 for rate in rates)))
    assert 2 * (number(record, "short_mbps") + number(record, "long_mbps")) == pytest.approx(sum(rates))
    if scheme == "nodectl":
        assert number(record, "jain_half") == pytest.approx(1, abs=within(1e-4, real=0.01))
        assert number(record, "ceiling_percent") == pytest.approx(100, rel=within(SHARE, real=0.03))
        assert record.values["queue_drops"] == 0
    else:
        # Whose packets find the queue full follows from the senders' phases: for seconds it may be always the same one's.
        assert number(record, "jain_half") < 0.9, "five seconds are not enough"
        assert number(record, "queue_drops") > 100, "slow start ends with losses"


def test_bic_gives_the_source_without_delay_more(tmp_path: Path) -> None:
    changes = """
grid = [{ links = ["shared"], queue_packets = [50], delay0_ms = [0], delay6_ms = [50], others = ["some"], packets = ["usual"] }]
run = { schemes = ["bic"], duration_s = 6, repetitions = 1 }
"""
    record = short_cell(tmp_path, "bic-cubic", "fairness", {"throughput.node0", "throughput.node6"}, changes)
    assert number(record, "node0_mbps") > 2 * number(record, "node6_mbps") > 0
    assert 4.2 < number(record, "node0_mbps") + number(record, "node6_mbps") < 5 * 1000 / 1066
