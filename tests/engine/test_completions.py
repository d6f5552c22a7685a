"""How long transmissions took compared with their time alone, and the granted rates: made-up runs against values computed by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.collect.completions import IdealTimes, offered_load_percent
from engine.collect.link_account import LinkAccount
from engine.collect.over_commitment import over_commitment
from engine.collect.run_data import RunData, SwitchWork, TransmissionData
from engine.collect.samples import Series
from engine.collect.values import WORKLOAD_VALUES, of_workloads
from engine.metrics.series import wanted_series
from reports.summary.completion_picture import over_size
from scenario.scenario import Scenario
from tests.reports.test_metrics import value

START_S = 100.0
SCENARIO: dict[str, Any] = {
    "title": "Made up",
    "topology": {
        "kind": "dumbbell",
        "pairs": 2,
        "access": {"rate_mbps": 151.4, "delay_ms": 5},
        "bottleneck": {"rate_mbps": 15.14, "delay_ms": 10, "reverse": {"delay_ms": 20}},
    },
    "workloads": [
        {
            "name": "web",
            "senders": ["h1", "h2"],
            "receivers": ["h3", "h4"],
            "arrivals": {"kind": "load", "percent": 50, "link": ["s1", "s2"]},
            "sizes": {"kind": "constant", "bytes": 181_000},
        }
    ],
    "run": {"schemes": ["nodectl"], "duration_s": 10, "measure_from_s": 1, "measure_to_s": 9},
    "computing": {"controller_event_ms": 2, "controller_record_us": 500},
}
ROUND_TRIP_S = 0.050
"""Both access links twice, the bottleneck there and back."""
IDEAL_S = ROUND_TRIP_S + 181_000 * 8 / 14.48e6
"""1448 of 1514 bytes are payload: 14.48 of 15.14 Mbit/s."""


def run_of(
    folder: Path,
    took: Mapping[int, float],
    rates: Mapping[int, list[tuple[float, float]]] | None = None,
    scenario: Scenario | None = None,
) -> RunData:
    """The transmissions of the workload took 0.3 s, or what ``took`` says by their places in the list; infinity: it never ended."""
    scenario = scenario or Scenario.model_validate(SCENARIO)
    transmissions = {}
    for place, one in enumerate(scenario.all_transmissions):
        took_s = took.get(place, 0.3)
        is_complete = np.isfinite(took_s)
        begin_s, end_s = START_S + one.start_s, START_S + one.start_s + took_s if is_complete else START_S + 10
        received = Series(np.array([begin_s, end_s]), np.array([0.0, 181_000.0 if is_complete else 5_000.0]))
        given = [(begin_s + at_s, rate) for at_s, rate in (rates or {}).get(place, [])]
        summary = {
            "messages": {"requests": 1, "renegotiations": 1, "successes": 1, "ignored": 5},
            "negotiation": "allocated" if given else "none",
            "rates": given,
            "allocated_s": given[0][0] if given else None,
            "end_s": end_s,
            "connected_s": begin_s,
        }
        transmissions[one.name] = TransmissionData(one, folder / "none.csv", summary, received, end_s)
    return RunData(scenario, "nodectl", folder, START_S, START_S + 10, LinkAccount([], []), transmissions, work=SwitchWork(60, 30, 0))


def test_alone_it_takes_a_round_trip_and_the_payload_at_the_narrowest_rate() -> None:
    ideal = IdealTimes(Scenario.model_validate(SCENARIO))
    assert ideal.of("h1", "h4", 181_000, 151.4e6) == pytest.approx(IDEAL_S)
    assert ideal.of("h1", "h4", 181_000, 1.514e6) == pytest.approx(ROUND_TRIP_S + 1.0), "it cannot send faster than that itself"


def test_those_of_the_window_count_and_those_that_never_ended_with_all_the_time_there_was(tmp_path: Path) -> None:
    starts = [one.start_s for one in Scenario.model_validate(SCENARIO).all_transmissions]
    inside = [place for place, start_s in enumerate(starts) if 1 <= start_s < 9]
    assert len(inside) not in (0, len(starts))
    run = run_of(tmp_path, {inside[0]: 3.0, inside[1]: np.inf, len(starts) - 1: 77.0})
    assert [one.start_s for one in run.completions] == [starts[place] for place in inside]
    assert [one.took_s for one in run.completions[:3]] == pytest.approx([3.0, 10 - starts[inside[1]], 0.3])
    assert [one.is_complete for one in run.completions[:3]] == [True, False, True]
    assert run.completions[0].slowdown == pytest.approx(3.0 / IDEAL_S)
    assert value(run, "completion_ms", percentile=50) == pytest.approx(300)
    assert value(run, "completion_ms", percentile=100) == pytest.approx(1e3 * max(3.0, 10 - starts[inside[1]]))
    assert value(run, "slowdown", percentile=50) == pytest.approx(0.3 / IDEAL_S)
    assert value(run, "slowdown", percentile=50, most_bytes=181_000) is None
    assert value(run, "slowdown", percentile=50, least_bytes=181_000, of="web*") == pytest.approx(0.3 / IDEAL_S)

    values = of_workloads(run)
    assert set(values) <= set(WORKLOAD_VALUES)
    assert values["transmissions"] == len(inside)
    assert values["unfinished"] == 1
    assert values["completion_median_ms"] == pytest.approx(300)
    assert values["messages_per_transmission"] == 2
    assert values["controller_events_per_transmission"] == 60 / len(starts)
    assert values["controller_ms_per_transmission"] == pytest.approx((60 * 2 + 30 * 0.5) / len(starts))
    assert values["overcommitted"] == 0
    load = 100 * len(inside) * 181_000 * 8 / (8 * 14.48e6)
    assert offered_load_percent(run) == pytest.approx(load)
    assert values["offered_load_percent"] == pytest.approx(load)


@pytest.mark.parametrize("ends", [{"count": 12}, {"stop_s": 5.0}])
def test_a_workload_that_has_ended_loads_nothing(ends: dict[str, float], tmp_path: Path) -> None:
    [workload] = SCENARIO["workloads"]
    scenario = Scenario.model_validate(SCENARIO | {"workloads": [workload | {"start_s": 0.5} | ends]})
    starts = [one.start_s for one in scenario.all_transmissions]
    end_s = starts[-1] if "count" in ends else 5.0
    assert end_s < 8, "it ends before the window does"
    inside = sum(start_s >= 1 for start_s in starts)
    load = 100 * inside * 181_000 * 8 / ((end_s - 1) * 14.48e6)
    assert offered_load_percent(run_of(tmp_path, {}, scenario=scenario)) == pytest.approx(load)


def test_without_arrivals_in_the_window_there_is_no_load(tmp_path: Path) -> None:
    [workload] = SCENARIO["workloads"]
    scenario = Scenario.model_validate(SCENARIO | {"workloads": [workload | {"start_s": 9.0}]})
    assert offered_load_percent(run_of(tmp_path, {}, scenario=scenario)) is None


def test_the_series_are_those_of_the_window(tmp_path: Path) -> None:
    run = run_of(tmp_path, {})
    series = wanted_series(run, ["completion.*", "total"])
    assert set(series) == {"completion.size_bytes", "completion.took_s", "completion.ideal_s", "total", "total.time_s"}
    assert series["completion.took_s"] == pytest.approx([0.3] * len(run.completions))
    assert sum(series["total"]) * 0.1 == pytest.approx(len(run.transmissions) * 181_000 * 8 / 1e6, rel=0.05)


def test_what_was_granted_on_a_link_adds_up_for_as_long_as_it_lasts(tmp_path: Path) -> None:
    starts = [one.start_s for one in Scenario.model_validate(SCENARIO).all_transmissions]
    apart_s = starts[1] - starts[0]
    # The first one has 10 Mbit/s until it is reduced to 5.14; the second one has 10 from 0.1 s after its start on, for 0.2 s.
    reduced_s = apart_s + 0.15
    took = {0: apart_s + 1.0, 1: 0.3}
    run = run_of(tmp_path, took, {0: [(0.0, 10e6), (reduced_s, 5.14e6)], 1: [(0.1, 10e6)]})
    assert set(of_workloads(run)) == set(WORKLOAD_VALUES)
    granted = over_commitment(run)
    assert granted is not None
    assert granted.seconds == pytest.approx(0.05)
    assert granted.most_percent == pytest.approx(100 * 20 / 15.14)
    assert granted.most_records == 2
    fits = over_commitment(run_of(tmp_path, took, {0: [(0.0, 5.14e6)], 1: [(0.1, 10e6)]}))
    assert fits is not None
    assert fits.seconds == 0
    assert fits.most_percent == pytest.approx(100)
    assert over_commitment(run_of(tmp_path, {})) is None


def test_the_picture_has_medians_of_sizes_that_are_alike() -> None:
    size = np.array([1000.0] * 20 + [5000.0] * 3 + [20_000.0] * 10)
    slowdown = np.array([2.0] * 19 + [9.0] + [50.0] * 3 + [4.0] * 10)
    (first, second) = over_size(size, slowdown)
    assert first == pytest.approx((10 ** (9.5 / 3), 2.0, np.percentile(slowdown[:20], 99)))
    assert second == pytest.approx((10 ** (12.5 / 3), 4.0, 4.0))
