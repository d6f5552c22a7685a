"""Every metric against values computed by hand, from made-up samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.collect.link_account import LinkAccount
from engine.collect.processor_standstills import Standstill
from engine.collect.run_data import ProgramData, RunData, TransmissionData
from engine.collect.samples import Series
from engine.metrics import measure
from engine.metrics.counting import file_bytes, per_payload
from engine.metrics.distribution import distribution
from engine.metrics.measurements import Measurements
from engine.metrics.registry import metrics
from engine.metrics.series import thinned
from engine.metrics.times import time_to_reach
from reports.definition import ReportDefinition
from scenario.scenario import Scenario
from scenario.transmissions import Program
from topo.management import Lateness, LinkStatistics

START_S = 100.0
SCENARIO: dict[str, Any] = {
    "title": "Made up",
    "packet_bytes": 1052,
    "topology": {
        "kind": "dumbbell",
        "pairs": 2,
        "access": {"rate_mbps": 100},
        "bottleneck": {"rate_mbps": 21.32, "loss_percent": 1, "reverse": {"loss_percent": 0}},
    },
    "transmissions": [
        {"name": "A", "sender": "h1", "receiver": "h3", "size_bytes": 2_500_000},
        {"name": "B", "sender": "h2", "receiver": "h4", "start_s": 0.0},
    ],
    "run": {"schemes": ["nodectl"], "duration_s": 4, "measure_from_s": 2},
}
ROWS = [  # time after the start, bytes in flight, smoothed RTT in µs
    (0.5, 0, 9_000), (1.0, 1_000, 40_000), (2.0, 2_000, 41_000), (3.0, 4_000, 45_000), (4.0, 3_000, 42_000),
]  # fmt: skip


def counted(queue_drops: int, loss_drops: int) -> LinkStatistics:
    """Counters of the only link."""
    return LinkStatistics("s1", 4, "s1-s2", "egress", 7, 0, 0, queue_drops, loss_drops, Lateness(0, 0, 0.0, 0.0, 0.0))


def constant(mbps: float) -> Series:
    """Payload read at a constant rate."""
    return Series(np.array([START_S, START_S + 4]), np.array([0.0, mbps * 4e6 / 8]))


def run_of(folder: Path, a_rates: Sequence[tuple[float, float]] = (), standstills: Sequence[Standstill] | None = None) -> RunData:
    """A and B read 10 and 8 Mbit/s for 4 s; B's only rate is 10 Mbit/s of the frame."""
    scenario = Scenario.model_validate(SCENARIO)
    lines = [f"{round((START_S + at_s) * 1e9)},{flight},{srtt},{at_s * 1e6},{at_s * 1e6}" for at_s, flight, srtt in ROWS]
    samples = "\n".join(["time_ns,bytes_in_flight,srtt_us,bytes_acked,bytes_delivered", *lines]) + "\n"
    for name in ("A.csv", "A.0.csv"):
        (folder / name).write_text(samples)
    summary = {
        "connected_s": START_S + 0.5,
        "end_s": START_S + 4,
        "negotiation": "allocated",
        "messages": {"requests": 2, "reduces": 1, "other": 9},
        "bytes_sent": 2_500_000,
    }
    a, b = scenario.transmissions
    rates = {"A": list(a_rates), "B": [(START_S, 10e6)]}
    transmissions = {
        one.name: TransmissionData(one, folder / f"{one.name}.csv", {**summary, "rates": rates[one.name]}, constant(mbps), START_S + 2.5)
        for one, mbps in ((a, 10.0), (b, 8.0))
    }
    links = LinkAccount([counted(0, 1)], [counted(25, 6)])
    return RunData(
        scenario, "nodectl", folder, START_S, START_S + 4, links, transmissions, None if standstills is None else list(standstills)
    )


def value(run: RunData, metric: str, **parameters: Any) -> float | None:
    measurements = Measurements.model_validate({"metrics": {"x": {"metric": metric, **parameters}}})
    return measure(run, measurements, {"rtt_ms": 20})[0]["x"]


A_RATES = [(START_S + 1, 30e6), (START_S + 2, 12e6), (START_S + 3, 10.1e6)]


@pytest.mark.parametrize(
    ("metric", "parameters", "expected"),
    [
        ("mean_mbps", {"of": "A"}, 10.0),
        ("mean_mbps", {"of": "A", "from_s": 1, "to_s": 2, "counted": "frame"}, 10.66),
        ("subflow_mbps", {"of": "A", "subflow": 1}, 8.0),  # 1 MB a second
        ("subflow_mbps", {"of": "A", "subflow": 2}, None),
        ("mbps_since_connected", {"of": "A"}, 40 / 3.5),
        ("mbps_since_connected", {"of": "A", "percent_of_mbps": "= rtt_ms"}, 5 * 40 / 3.5),
        ("file_mbps", {"of": "B"}, None),
        ("ms_to_in_flight", {"of": "A", "kilobytes": 2}, 1500.0),
        ("ms_to_in_flight", {"of": "A", "kilobytes": 2.2}, 2500.0),  # 2000 bytes of payload are 2132 of frames
        ("ms_to_in_flight", {"of": "A", "kilobytes": 10}, None),
        ("sample_range", {"of": "A", "column": "srtt_us", "scale": 1e-3}, 4.0),
        ("sample_range", {"of": "A", "column": "srtt_us", "scale": 1e-3, "middle_percent": 50}, 43.5 - 41.5),
        ("throughput_range_mbps", {"of": "A"}, 0.0),
        ("first_allocated_mbps", {"of": "A"}, 30.0),
        ("allocated_count", {}, 2.0),
        ("messages", {}, 6.0),
        ("messages", {"kinds": ["requests"]}, 4.0),
        ("seconds_above_capacity", {"capacity_mbps": 20}, 2.0),  # 40 and 22 with B; 20.1 is within 1 %
        ("seconds_above_capacity", {"capacity_mbps": 20, "of": ["A"]}, 1.0),
        ("completion_ms", {"percentile": 50}, None),  # A was to start before the measuring window
        ("slowdown", {"percentile": 50}, None),
        ("settled_s", {"share_mbps": 10}, 3.0),
        ("settled_s", {"share_mbps": 10, "after_s": 1, "of": ["A"]}, 2.0),
        ("settled_s", {"share_mbps": 12}, None),
        ("program_mbps", {"of": "curl", "moved_bytes": 1}, None),
        ("total_percent", {"of_mbps": 20}, 80.0),  # 8 of A, by its samples, and 8 of B, which was not sampled
        ("jain_cumulative", {}, 18**2 / (2 * (10**2 + 8**2))),
        ("jain_cumulative", {"of": ["B"]}, 1.0),
        ("jain_recent", {"last_s": 1}, 18**2 / (2 * (10**2 + 8**2))),
        ("sample_value", {"take": "mean", "column": "srtt_us", "of": ["A"], "scale": 1e-3}, (41 + 45 + 42) / 3),
        ("sample_value", {"take": "mean", "column": "bytes_in_flight", "of": ["A", "A"], "added": True}, 6000.0),  # 4000, 8000, 6000
        ("sample_value", {"column": "srtt_us", "of": ["A"], "take": "low", "scale": 1e-3}, 41.0),
        ("sample_value", {"column": "srtt_us", "of": ["A"], "take": "q1", "scale": 1e-3}, 41.5),
        ("sample_value", {"column": "srtt_us", "of": ["A"], "take": "median", "scale": 1e-3}, 42.0),
        ("sample_value", {"column": "srtt_us", "of": ["A", "A"], "take": "q3", "scale": 1e-3}, 44.25),  # of 41 41 42 42 45 45
        ("sample_value", {"column": "srtt_us", "of": ["A"], "take": "high", "from_s": 0.8, "to_s": 2}, 41_000.0),
        ("sample_value", {"column": "srtt_us", "of": ["A"], "take": "least", "from_s": 0}, 9_000.0),
        ("sample_value", {"column": "srtt_us", "of": ["A"], "take": "most", "scale": 1e-3}, 45.0),
        ("fair_percent", {}, 80.0),  # 8 of A, by its samples, and 8 of B, of 20
        ("fair_percent", {"from_s": 0, "to_s": 1}, 60.0),
        ("packets_in_flight", {"of": ["A", "A"], "take": "high"}, 8.0),
        ("packet_mean_rtt_ms", {"of": ["A"]}, 1e3 * 3000 * 2 / 2_500_000),
        ("dropped_percent", {}, 0.5),  # 25 of 5000
        ("lost_percent", {}, 0.1),
        ("apart_percent", {"of": ["A", "B"]}, 25.0),
        ("group_mean_mbps", {"of": ["*"]}, 9.0),
        ("group_mean_mbps", {"of": ["B"], "from_s": 0, "to_s": 3}, 8.0),
        ("share_percent", {"of": ["A"]}, 100 * 10 / 18),
        ("asymmetry", {"of": ["A"], "against": ["B"]}, 2 / 18),
        ("smaller_percent", {"of": ["A"], "against": ["B"]}, 80.0),  # 8 of 10
        ("asymmetry", {"of": ["B"], "against": ["*"]}, -1 / 17),  # 8 against 9, the mean of both
        ("least_share_percent", {"share_mbps": 10}, 80 * 1.066),
        ("largest_share_percent", {"share_mbps": 10, "counted": "payload"}, 100.0),
        ("deliverable_percent", {}, 99.0),
        ("standstills_ms", {}, None),
        ("undisturbed_percent", {"of": "A"}, None),
    ],
)  # fmt: skip
def test_values(tmp_path: Path, metric: str, parameters: dict[str, Any], expected: float | None) -> None:
    found = value(run_of(tmp_path, A_RATES), metric, **parameters)
    assert found == (None if expected is None else pytest.approx(expected))


def test_a_full_link_is_never_more_than_full(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    # A packet is missing from 1 s to 3 s: the data that came meanwhile is read all at once, in the window.
    late = Series(START_S + np.array([0.0, 1.0, 3.0, 3.0, 4.0]), np.array([0.0, 1.25, 1.25, 3.75, 5.0]) * 1e6)
    run.transmissions["A"] = replace(run["A"], received=late)
    for name, mbps in (("A", 10.0), ("B", 8.0)):
        rows = [f"{round((START_S + at_s) * 1e9)},{mbps * at_s * 1e6 / 8}" for at_s in (0, 1, 2, 3, 4)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["time_ns,bytes_delivered", *rows]) + "\n")
    assert value(run, "mean_mbps", of="A") == pytest.approx(15.0)
    assert value(run, "total_percent", of_mbps=20) == pytest.approx(90.0)
    assert value(run, "total_percent", of_mbps=20, counted="frame", from_s=0, to_s=1) == pytest.approx(90 * 1.066)


def test_a_file_counts_from_connection_to_last_byte_as_payload_or_packets(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    run.transmissions["A"] = replace(run["A"], received=Series(np.array([START_S, START_S + 2.5]), np.array([0.0, 2_500_000.0])))
    assert value(run, "file_mbps", of="A") == pytest.approx(10.0)
    assert value(run, "file_mbps", of="A", counted="packet", percent_of_mbps=80) == pytest.approx(100 * 10.52 / 80)
    assert file_bytes(run.scenario, 2_500_500, "packet") == 2_500_500 + 2501 * 52
    assert per_payload(run.scenario, "frame") == pytest.approx(1.066)
    with pytest.raises(ValueError, match="'bits' is none of"):
        per_payload(run.scenario, "bits")


@pytest.mark.parametrize(("took_s", "status", "expected"), [(2.0, 0, 32.0), (2.0, 22, None), (None, None, None)])
def test_a_program_that_failed_or_went_on_has_no_goodput(
    tmp_path: Path, took_s: float | None, status: int | None, expected: float | None
) -> None:
    program = Program(name="curl", host="h2", command=["curl"])
    run = replace(run_of(tmp_path), programs={"curl": ProgramData("curl", program, 1.0, took_s, status, "")})
    assert value(run, "program_mbps", of="curl", moved_bytes=8e6) == expected


def test_bins_with_a_standstill_are_left_out(tmp_path: Path) -> None:
    run = run_of(tmp_path, standstills=[Standstill(START_S + 2.12, 0.01, 0), Standstill(START_S + 2.5, 0.003, 1)])
    stepped = Series(
        START_S + np.array([0, 2.1, 2.2, 2.3, 4]), np.array([0, 2.1, 2.1, 2.3, 4]) * 1e6
    )  # nothing from 2.1 to 2.2 s, then twice
    run.transmissions["A"] = replace(run["A"], received=stepped)
    assert value(run, "throughput_range_mbps", of="A") == pytest.approx(16)
    assert value(run, "throughput_range_mbps", of="A", only_undisturbed=True, aftermath_ms=200) == pytest.approx(0, abs=1e-6)
    assert value(run, "undisturbed_percent", of="A") == pytest.approx(90)
    assert value(run, "standstills_ms") == pytest.approx(13)
    everywhere = replace(run, standstills=[Standstill(START_S, 4.0, 0)])
    assert value(everywhere, "throughput_range_mbps", of="A", only_undisturbed=True) is None


def test_whiskers_leave_outliers_outside() -> None:
    # Quartiles 1.5 and 4.5: whiskers reach from -3 to 9 at most.
    assert list(distribution(np.array([-2.0, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0])).values()) == [
        3.0,
        -2.0,
        -2.0,
        1.5,
        3.0,
        4.5,
        8.0,
        8.0,
        pytest.approx(7.1),
    ]
    # Quartiles 2 and 4: from -1 to 7.
    assert list(distribution(np.array([-6.0, 2.0, 2.0, 3.0, 4.0, 4.0, 96.0])).values()) == [
        15.0,
        -6.0,
        2.0,
        2.0,
        3.0,
        4.0,
        4.0,
        96.0,
        pytest.approx(68.4),
    ]
    assert set(distribution(np.array([7.0])).values()) == {7.0}


def test_what_is_taken_is_a_part_of_the_distribution(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="take: 'p99' is none of mean, least, low, q1, median, q3, high, most, p95"):
        value(run_of(tmp_path), "sample_value", column="srtt_us", take="p99")


def test_series_are_those_that_figures_draw(tmp_path: Path) -> None:
    figure = {"name": "f", "caption": "", "panels": [{"series": ["throughput.*", "rtt.A", "subflows.A*", "in_flight.*", "rtt.B"]}]}
    _, series = measure(run_of(tmp_path), ReportDefinition.model_validate({"figures": [figure]}).measurements, {})
    drawn = {name for name in series if not name.endswith(".time_s")}
    assert drawn == {"throughput.A", "throughput.B", "rtt.A", "in_flight.A", "subflows.A1"}, "B was not sampled"
    assert all(len(series[name]) == len(series[f"{name}.time_s"]) for name in drawn)
    assert series["throughput.A"] == [pytest.approx(10.0)] * 40
    assert series["rtt.A"][1] == 40.0
    assert series["in_flight.A.time_s"][0] == 0.0, "counted from the connection"


def test_the_queue_of_a_link_between_switches_over_time(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    links = [counted(0, 0), replace(counted(0, 0), direction="ingress", queue_packets=3), replace(counted(0, 0), name="h1-s1")]
    looks = replace(run.links, watched=[(START_S + 1, links, 0), (START_S + 2, [replace(links[0], queue_packets=9), *links[1:]], 0)])
    _, series = measure(replace(run, links=looks), Measurements(series=["queue.*"]), {})
    assert series == {"queue.s1-s2.time_s": [1.0, 2.0], "queue.s1-s2": [7.0, 9.0]}


def test_curves_are_means_of_the_first_repetition_alone(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    wanted = Measurements(curves=["throughput.*", "rtt.A"])
    _, series = measure(run, wanted, {})
    assert series.keys() == {"curves.time_s", "curves.throughput.A", "curves.throughput.B", "curves.rtt.A"}
    assert {len(values) for values in series.values()} == {100}
    assert series["curves.time_s"][:2] == [0.02, 0.06]
    assert series["curves.throughput.A"][50] == pytest.approx(10.0)
    rtt = dict(zip(series["curves.time_s"], series["curves.rtt.A"], strict=True))
    assert (rtt[0.02], rtt[0.98], rtt[1.02], rtt[3.98]) == (0.0, 9.0, 40.0, 42.0), "without a sample, the value before"
    assert measure(run, wanted, {}, is_first=False)[1] == {}


def test_fairness_over_time_is_cumulative_and_of_the_last_five_seconds(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    run.transmissions["B"] = replace(run["B"], received=Series(START_S + np.array([0, 2, 4]), np.array([0, 0, 2_500_000.0])))
    figure = {"name": "f", "caption": "", "panels": [{"series": ["jain_*", "packets.A", "fair.A"]}]}
    _, series = measure(run, ReportDefinition.model_validate({"figures": [figure]}).measurements, {})
    assert (series["jain_cumulative.time_s"][0], series["jain_cumulative.time_s"][-1]) == (0.1, 4.0)
    assert series["jain_cumulative"][19] == 0.5, "A alone has read"
    assert series["jain_cumulative"][-1] == pytest.approx(7.5**2 / (2 * (5**2 + 2.5**2)), abs=1e-4), "5 and 2.5 MB"
    assert series["jain_recent"] == series["jain_cumulative"], "the run is shorter than what counts as recent"
    assert series["packets.A"] == [0, 1, 2, 4, 3]
    assert series["fair.A"][:20] == [pytest.approx(10.0)] * 20


def test_every_metric_is_tested_and_explained() -> None:
    tested = {mark.args[1][n][0] for mark in test_values.pytestmark for n in range(len(mark.args[1]))}
    assert set(metrics()) == tested
    assert all(function.__doc__ for function in metrics().values())


def test_time_to_reach_is_the_first_sample_at_the_level_after_the_start() -> None:
    series = Series(np.array([9.0, 10.0, 10.1, 10.2, 10.3]), np.array([500.0, 0.0, 99.0, 100.0, 50.0]))
    assert time_to_reach(series, 100.0, 10.0) == pytest.approx(0.2)
    assert time_to_reach(Series(np.empty(0), np.empty(0)), 1.0, 0.0) is None


def test_thinned_keeps_the_ends() -> None:
    time_s, values = thinned(np.arange(1000.0), np.arange(1000.0) * 2, points=10)
    assert (len(time_s), time_s[0], time_s[-1], values[-1]) == (10, 0.0, 999.0, 1998.0)
    assert thinned(np.empty(0), np.empty(0)) == ([], [])
