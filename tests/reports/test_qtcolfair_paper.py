"""The settings of the QtColFair paper's experiments: those it states, and both values of those it leaves open."""

from __future__ import annotations

import pytest

from common.units import BITS_PER_BYTE, BITS_PER_MEGABIT
from engine.plan.experiment import Effort
from protocol.frames import payload_share
from reports.document.blocks import Text
from reports.experiment import ReportedExperiment
from reports.paper import read_paper
from reports.reproduce import chosen
from reports.results import Results
from scenario.file import Point
from scenario.run_request import Size
from scenario.scenario import Scenario
from tests.reports.parts.made_up import made_up, results

PAPER = read_paper("qtcolfair")
MSS_BYTES = 1448
ACCESS_MS = 0.1


def points(name: str, size: Size = Size.NORMAL) -> list[tuple[Point, Scenario]]:
    return ReportedExperiment.read(PAPER.folder / f"{name}.toml", Effort(size)).scenarios


@pytest.mark.parametrize("size", list(Size))
def test_the_path_is_the_paper_s(size: Size) -> None:
    for name in PAPER.experiments:
        for _, scenario in points(name, size):
            (trunk,), link = scenario.layout.trunks, scenario.layout.trunks[0].link
            assert (link.rate_mbps, link.delay_ms, trunk.link.there.loss) == (100, 20, 0)
            assert scenario.packet_bytes - 52 == MSS_BYTES
            assert link.queue_packets == 1725 or name == "buffers"
            assert link.back.queue_packets == 1725
            assert {(host.link.rate_mbps, host.link.delay_ms) for host in scenario.layout.hosts} == {(1000, ACCESS_MS)}
            assert set(scenario.run.schemes) <= {*PAPER.schemes}


def test_a_buffer_is_counted_in_bandwidth_delay_products() -> None:
    bdp = 100 * BITS_PER_MEGABIT * 0.04 / BITS_PER_BYTE / MSS_BYTES
    assert bdp == pytest.approx(345, abs=0.5)
    queues = {point["buffer_bdp"]: scenario.layout.trunks[0].link.queue_packets for point, scenario in points("buffers")}
    assert queues == {0.003: 1, 0.1: 34, 0.3: 104, 1: 345, 3: 1035, 10: 3450}


def test_flows_begin_one_after_the_other_or_together() -> None:
    starts = {
        (point["flows"], point["apart_s"]): [one.start_s for one in scenario.transmissions]
        for point, scenario in points("flows")
        if point["length"] == "usual"
    }
    assert starts[5, 0.1] == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert starts[5, 0] == [0] * 5
    assert [len(starts[flows, 0.1]) for flows in (1, 2, 3, 4)] == [1, 2, 3, 4]


def test_what_the_paper_leaves_open_is_measured_at_two_values() -> None:
    def values(name: str, variable: str) -> set[object]:
        return {point[variable] for point, _ in points(name)}

    assert values("single_flow", "length") == values("flows", "length") == {"usual", "published"}
    assert len(values("bandwidth", "slow_s")) == len(values("delay", "first_s")) == len(values("buffers", "flows")) == 2
    readings = ReportedExperiment.read(PAPER.folder / "rtt_reading.toml").schemes
    assert {"qtcol", "qtcol(rtt=last)", "qtcolfair", "qtcolfair(rtt=last)", "nodectl"} == set(readings)
    assert sum(one.paper.startswith("open") for one in PAPER.deviations) == 8


@pytest.mark.parametrize("size", list(Size))
def test_the_changes_are_those_of_the_paper(size: Size) -> None:
    for _, scenario in points("bandwidth", size):
        assert [event.changes for event in scenario.events] == [{"rate_mbps": 25}, {"rate_mbps": 500}]
    for point, scenario in points("delay", size):
        assert [event.changes for event in scenario.events] == [{"delay_ms": 40}, {"delay_ms": 20}]
        assert scenario.events[1].at_s - scenario.events[0].at_s == pytest.approx(float(point["long_s"]))
        assert point["long_s"] == 25 or size is Size.QUICK


def test_the_ceiling_of_the_utilization_is_that_of_the_headers() -> None:
    flows = ReportedExperiment.read(PAPER.folder / "flows.toml")
    full = f"{100 * payload_share(1500):.2f}"
    assert full == "95.64"
    assert f"a full link comes to {full}." in flows.definition.tables[0].caption
    panels = [panel for figure in flows.definition.figures for panel in figure.panels]
    assert {panel.level for panel in panels if panel.y == "utilization_percent"} == {float(full)}


def test_findings_are_computed() -> None:
    experiments = chosen(PAPER, (), Effort(repetitions=1))
    measured = {one.name: results(one, lambda cell, one=one: made_up(cell, one, 77.25)) for one in experiments}  # type: ignore[misc]
    text = "\n".join(block.markdown for block in PAPER.section("findings")(measured, PAPER) if isinstance(block, Text))
    assert "QtColFair's window is 4 packets for 200 ms of every 10 s, 2 % of the time" in text
    assert "an RTT can reach 249 ms; Cubic's upper whisker is 77 ms. At 25 Mbit/s (figure 15) they take 836 ms" in text
    assert "takes an RTT above 97.0 ms for a longer path; the longer path has 80.4 ms without queue" in text
    assert "with the next probe due some 4 s after the change" in text
    assert "five flows that begin 0.1 s apart 77.25 (the last 10 s: 77.25), all at once 77.25" in text
    assert PAPER.section("findings")({name: Results([]) for name in measured}, PAPER) == []
