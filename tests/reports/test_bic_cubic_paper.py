"""The settings of the BIC and CUBIC paper's experiments: those it states, and the readings of those it leaves open."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.plan.experiment import Effort
from reports.claims.judgement import ClaimStatus, judge
from reports.claims.published import published_table
from reports.claims.ratios import with_ratios
from reports.experiment import ReportedExperiment
from reports.paper import read_paper
from scenario.run_request import Size
from tests.reports.parts.made_up import results
from topo.layout import plan_network
from topo.routes import way_between

PAPER = read_paper("bic-cubic")
FIGURES = ("fairness", "long_delay", "short_delay")
"""The paper's own; the others show causes."""


def read(name: str, size: Size = Size.NORMAL) -> ReportedExperiment:
    return ReportedExperiment.read(PAPER.folder / f"{name}.toml", Effort(size))


@pytest.mark.parametrize("size", list(Size))
@pytest.mark.parametrize("name", PAPER.experiments)
def test_the_network_is_the_paper_s_in_each_reading(name: str, size: Size) -> None:
    for point, scenario in read(name, size).scenarios:
        plan = plan_network(scenario)
        assert scenario.run.duration_s == 100
        ways = {}
        for one in scenario.transmissions:
            way = way_between(plan, one.sender, one.receiver)
            steps = list(pairwise(way))[1:-1]  # between hosts and their switches there is no link of the paper's
            assert len(steps) == 2
            links = [plan.direction(*step) for step in steps]
            assert {(link.rate_bps, link.queue_packets) for link in links} == {(5_000_000, point["queue_packets"])}
            assert sum(link.delay_us for link in links) == float(point[f"delay{one.name[-1]}_ms"]) * 1e3
            ways[one.name] = set(steps)
        assert bool(ways["node0"] & ways["node6"]) == (point["links"] == "shared")


def test_what_the_paper_leaves_open_is_measured_at_two_values() -> None:
    for name in FIGURES:
        points = [point for point, _ in read(name).scenarios]
        assert {point["links"] for point in points} == {"shared", "apart"}
        assert {point["queue_packets"] for point in points} == {50, 1000}
    packets = {str(point["packets"]): (one.packet_bytes, one.quick_ack) for point, one in read("fairness").scenarios}
    assert packets == {"usual": (1052, False), "1500 bytes": (1500, False), "each acknowledged": (1052, True)}
    assert {point["others"] for point, _ in read("fairness").scenarios} == {"none", "some"}
    long = read("long_delay").scenarios
    assert {point["delay6_ms"] for point, _ in long} == {50, 100, 300}, "of the way, of each link, of the conclusion"
    background = {point["background"]: scenario.transmissions[0].scheme for point, scenario in long}
    assert background == {"alike": None, "reno": "reno"}


def test_the_first_reading_is_repeated_ten_times() -> None:
    for name in FIGURES:
        cells = read(name).cells()
        first = [cell for cell in cells if cell.parameters == cells[0].parameters and cell.scheme == "cubic"]
        assert (cells[0].parameters["links"], cells[0].parameters["queue_packets"]) == ("shared", 50)
        assert [cell.scenario.seed for cell in first] == list(range(1, 11))


def test_published_gains_are_those_of_the_text() -> None:
    table = published_table("bic-cubic/figures_6_8_percent_of_tcp")
    assert [table.value(f"{delay} ms", "cubic") for delay in (50, 300)] == [138, 138]


@pytest.mark.parametrize(("cubic", "status"), [(1.38, ClaimStatus.CONFIRMED), (1.1, ClaimStatus.DIFFERS), (1.0, ClaimStatus.NOT_CONFIRMED)])
def test_a_gain_is_judged_against_tcp_and_bic(cubic: float, status: ClaimStatus) -> None:
    one = read("long_delay")
    made_up = results(one, lambda cell: {"node6_mbps": cell.repetition * (cubic if cell.scheme == "cubic" else 1.0)})
    measured = with_ratios(made_up, one.definition.ratios)
    assert judge(one.definition.claims[0], measured, one.schemes, {}, {}).status is status
