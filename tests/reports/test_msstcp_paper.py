"""The settings of the MSS-TCP paper's experiments, and the trace of its mobile user."""

from __future__ import annotations

import csv
from itertools import pairwise

import pytest

from common.units import BITS_PER_BYTE, BITS_PER_MEGABIT
from engine.plan.experiment import Effort
from reports.claims.ratios import with_ratios
from reports.document.blocks import Table, Text
from reports.experiment import ReportedExperiment
from reports.paper import read_paper
from reports.papers.msstcp import mobile_user
from reports.report import document
from reports.reproduce import chosen
from reports.results import Results
from scenario.file import Point
from scenario.run_request import Size
from scenario.scenario import Scenario
from tests.reports.parts.made_up import made_up, results

PAPER = read_paper("msstcp")
BDP_BYTES = 2.5e6


def points(name: str, size: Size = Size.NORMAL) -> list[tuple[Point, Scenario]]:
    return ReportedExperiment.read(PAPER.folder / f"{name}.toml", Effort(size)).scenarios


def read_trace(name: str) -> dict[str, float]:
    with (PAPER.folder / name).open(encoding="utf-8", newline="") as stream:
        return {row["at_s"]: float(row["rate_mbps"]) for row in csv.DictReader(stream)}


@pytest.mark.parametrize("file", mobile_user.FILES)
def test_a_trace_is_what_the_script_writes(file: str) -> None:
    assert (PAPER.folder / file).read_text(encoding="utf-8") == mobile_user.text(*mobile_user.FILES[file])


def test_the_user_does_what_the_paper_says() -> None:
    assert sum(phase.lasts_s for phase in mobile_user.PHASES) == 60
    assert [(phase.lasts_s, phase.speed_m_s) for phase in mobile_user.PHASES if phase.behind] == [(4, 0), (4, 0)]
    light, deep = (mobile_user.rates(100, obstacles) for obstacles in (mobile_user.LIGHT, mobile_user.DEEP))

    def rate(trace: list[tuple[float, float]], at_s: float) -> float:
        return [mbps for since_s, mbps in trace if since_s <= at_s][-1]

    for trace in (light, deep):
        assert rate(trace, 0) == rate(trace, 20) == 100, "in line of sight and near"
        assert rate(trace, 30) < rate(trace, 16) < 100, "a building takes more than a tree"
        assert rate(trace, 59) < rate(trace, 38), "far away"
        assert len({mbps for at_s, mbps in trace if 28 <= at_s < 32}) == 1, "nothing changes while the user stands"
    assert all(rate(deep, at_s) < rate(light, at_s) for at_s in (14, 17.9, 28, 31.9))
    assert rate(light, 32) == rate(deep, 32)
    assert all(before < after for (before, _), (after, _) in pairwise(light))
    assert mobile_user.rates(100, mobile_user.LIGHT, seed=29) != light


def test_the_signal_is_that_of_the_formula() -> None:
    # Path loss at 100 m: 32.4 + 21 x 2 + 20 log10(28) = 103.34 dB. Noise: -174 + 90 + 5 = -79 dBm. Sent: 30 + 15 dB.
    assert mobile_user.snr(100) == pytest.approx(45 - 103.343 + 79, abs=1e-3)


def test_the_trace_of_the_faster_link_is_ten_times_the_other() -> None:
    slow, fast = (read_trace(f"mobile_user_{mbps}mbps.csv") for mbps in (100, 1000))
    assert slow.keys() == fast.keys()
    assert all(fast[at_s] == pytest.approx(10 * slow[at_s], abs=0.06) for at_s in slow)


@pytest.mark.parametrize(
    ("name", "size"), [(name, size) for size in Size for name in ("mobile_user", "deeper_obstacles")] + [("at_1_gbit", Size.NORMAL)]
)
def test_the_bandwidth_delay_product_is_kept(name: str, size: Size) -> None:
    for point, scenario in points(name, size):
        link = scenario.layout.trunks[0].link
        assert link.rate_mbps * BITS_PER_MEGABIT * 2 * link.delay_ms / 1e3 / BITS_PER_BYTE == BDP_BYTES
        assert link.there.queue_bytes == float(point["buffer_mb"]) * 1e6
        assert max(step.rate_mbps or 0 for step in link.there.trace) == link.rate_mbps
        assert not link.back.trace
        assert link.back.byte_error_rate == link.back.loss == 0


def test_the_grid_is_the_paper_s() -> None:
    grid = [point for point, _ in points("mobile_user")]
    assert {(one["buffer_mb"], one["error_rate"]) for one in grid if one["per"] == "byte"} == {
        (buffer, rate) for buffer in (0.25, 2.5, 20) for rate in (0, 1e-9, 1e-8, 1e-7)
    }
    assert [one["error_rate"] for one in grid if one["per"] == "packet"] == [1e-7]


def test_error_rates_are_of_bytes_or_of_packets() -> None:
    frame_bytes = 1514
    for point, scenario in points("mobile_user"):
        link = scenario.layout.trunks[0].link.there
        lost = link.loss if point["per"] == "packet" else 1 - (1 - link.byte_error_rate) ** frame_bytes
        expected = point["error_rate"] if point["per"] == "packet" else float(point["error_rate"]) * frame_bytes
        assert lost == pytest.approx(expected, rel=1e-3)


def test_fb_tcp_is_a_column_with_the_reason() -> None:
    experiment = ReportedExperiment.read(PAPER.folder / "mobile_user.toml")
    measured = results(experiment, lambda _cell: {"mean_mbps": 1.0})
    blocks = document(PAPER, [experiment], {experiment.name: measured}, "make reproduce")
    tables = [block for block in blocks if isinstance(block, Table) and "Figure" in block.caption]
    assert len(tables) == 3
    for table in tables:
        column = table.header.index("FB-TCP")
        assert {row[column] for row in table.rows} == {"not available"}
    assert any("**FB-TCP** is not available: the paper names it" in block.markdown for block in blocks if isinstance(block, Text))


def test_findings_are_computed() -> None:
    experiments = chosen(PAPER, (), Effort(repetitions=1))
    measured = {
        one.name: with_ratios(results(one, lambda cell, one=one: made_up(cell, one, 80.0)), one.definition.ratios)  # type: ignore[misc]
        for one in experiments
    }
    text = "\n".join(block.markdown for block in PAPER.section("findings")(measured, PAPER) if isinstance(block, Text))
    assert "MSS-TCP grows by up to √(2 · MSS) = 54 packets an RTT" in text
    assert "takes 32 RTTs and 1727" in text
    assert "0.015 % of full packets are lost" in text
    assert "NewReno 100 packets, measured 80, MSS-TCP 730 packets, measured 80" in text
    assert "**MSS-TCP over BBR** (2.5 MB): +0.0 % without errors, +0.0 % at 10⁻⁷ a byte." in text
    assert "BBR 80.0 and 80.0 %, MSS-TCP 80.0 and 80.0 %, Nodectl 80.0 and 80.0 %." in text
    assert PAPER.section("findings")({name: Results([]) for name in measured}, PAPER) == []
