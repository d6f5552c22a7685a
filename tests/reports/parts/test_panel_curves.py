"""Several values or transmissions in one panel, each curve named by its value or transmission; ticks at the grid's values."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.collect.record import CellRecord
from reports.definition import PanelDefinition
from reports.figures.figure_maker import FigureMaker
from reports.figures.panels import Panel, draw_panels, readable_ticks
from reports.results import Results
from tests.reports.parts.made_up import experiment

SCHEMES = ("nodectl", "reno")


def records(schemes: tuple[str, ...] = SCHEMES) -> list[CellRecord]:
    return [
        CellRecord(
            experiment="made_up",
            scheme=scheme,
            repetition=1,
            parameters={"rate_mbps": rate},
            values={"mean_mbps.A": rate / 2.0, "mean_mbps.B": rate / 3.0, "smoothed_rtt_ms": 40.0},
            series={
                "throughput.A": [1.0], "throughput.A.time_s": [0.0], "throughput.B": [2.0], "throughput.B.time_s": [0.0],
                "fair.A": [3.0], "fair.A.time_s": [0.0],
            },
        )
        for scheme in schemes
        for rate in (10, 80)
    ]  # fmt: skip


def labels(tmp_path: Path, schemes: tuple[str, ...] = SCHEMES, **definition: object) -> list[list[str]]:
    made = experiment(tmp_path, "")
    maker = FigureMaker(Results(records(schemes)), {}, made)
    maker._schemes = list(schemes)
    return [[line.label for line in panel.lines] for panel in maker.panels(PanelDefinition.model_validate(definition), {})]


@pytest.mark.parametrize(
    ("schemes", "definition", "wanted"),
    [
        (SCHEMES, {"x": "rate_mbps", "y": "smoothed_rtt_ms"}, [["nodectl", "reno"]]),
        (("reno",), {"x": "rate_mbps", "y": ["mean_mbps.A", "mean_mbps.B"]}, [["A", "B"]]),
        (("reno",), {"x": "rate_mbps", "y": "mean_mbps.*"}, [["A", "B"]]),
        (SCHEMES, {"x": "rate_mbps", "y": "mean_mbps.*"}, [["nodectl: A", "nodectl: B", "reno: A", "reno: B"]]),
        (
            ("reno",),
            {"x": "rate_mbps", "y": [{"value": "mean_mbps.A", "label": "the first"}, "smoothed_rtt_ms"]},
            [["the first", "smoothed rtt ms"]],
        ),
        (("reno",), {"x": "rate_mbps", "y": [{"value": "mean_mbps.*", "label": "flow *"}]}, [["flow A", "flow B"]]),
        (SCHEMES, {"series": ["throughput.*"], "per": "scheme"}, [["A", "B"], ["A", "B"]]),
        (SCHEMES, {"series": ["throughput.A"]}, [["nodectl", "reno"]]),
        (SCHEMES, {"series": ["throughput.*"]}, [["nodectl: A", "nodectl: B", "reno: A", "reno: B"]]),
        (("reno",), {"series": ["throughput.A", "fair.A"], "per": "scheme"}, [["throughput A", "fair share A"]]),
    ],
)
def test_curves_are_named_by_what_they_are(
    tmp_path: Path, schemes: tuple[str, ...], definition: dict[str, object], wanted: list[list[str]]
) -> None:
    assert labels(tmp_path, schemes, **definition) == wanted


def test_a_logarithmic_axis_has_ticks_at_the_grids_values(tmp_path: Path) -> None:
    maker = FigureMaker(Results(records()), {}, experiment(tmp_path, ""))
    (panel,) = maker.panels(PanelDefinition(x="rate_mbps", y="smoothed_rtt_ms", logarithmic_x=True), {})
    assert panel.ticks == [10, 80]
    draw_panels([panel, Panel("", "", "")], 2, tmp_path / "figure")
    svg = (tmp_path / "figure.svg").read_text()
    assert ">10<" in svg
    assert ">80<" in svg
    assert "10^" not in svg


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([0.25, 0.5, 1, 2, 4, 8], [0.25, 0.5, 1, 2, 4, 8]),
        ([1, 1.01, 2, 100], [1, 2, 100]),
        ([5], [5]),
        ([], []),
        ([10, 80], [10, 80]),
        ([1, 99, 100], [1, 100]),
    ],
)
def test_numbers_on_an_axis_do_not_touch(values: list[float], kept: list[float]) -> None:
    assert readable_ticks(values) == kept
