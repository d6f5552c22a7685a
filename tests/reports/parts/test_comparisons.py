"""The sentence below a figure follows from the data alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from engine.plan.cell import Cell
from reports.claims.comparisons import sentence
from reports.results import Results
from tests.reports.parts.made_up import HEAD, experiment, results

FIGURE = """
[[figures]]
name = "rates"
caption = "c"
panels = [{ x = "rate_mbps", y = "total_mbps", where = { loss_percent = 0 } }]
"""
COMPARED = """
[[comparisons]]
value = "queue_drops"
label = "dropped"
form = ".0f"
"""


def said(folder: Path, report: str, values: dict[str, dict[str, list[float]]]) -> str:
    """The sentence, from each scheme's values at 10 and 40 Mbit/s; with loss all of them are 1000."""

    def of_cell(cell: Cell) -> dict[str, float | None]:
        position = [10, 40].index(int(cell.parameters["rate_mbps"]))
        return {
            name: 1000.0 if cell.parameters["loss_percent"] else by_scheme[cell.scheme][position]
            for name, by_scheme in values.items()
            if position < len(by_scheme.get(cell.scheme, ()))
        }

    one = experiment(folder, report)
    return sentence(one.definition.figures[0], one.definition.comparisons, results(one, of_cell), {"reno": "NewReno"})


def test_it_says_ranges_and_ranks_over_the_points_of_the_figure(tmp_path: Path) -> None:
    drops = {"queue_drops": {"nodectl": [0.0, 5.0], "reno": [40.0, 7.0], "cubic": [0.0, 2.0]}}
    assert said(tmp_path, FIGURE + COMPARED, drops) == (
        "What nodectl changes against NewReno and cubic: dropped: 0 to 5 (NewReno 7 to 40, cubic 0 to 2), "
        "tied for the lowest at 1 of 2 points and in between at 1 of 2 points."
    )
    drops["queue_drops"]["nodectl"] = [90.0, 90.0]
    assert "90 (NewReno 7 to 40, cubic 0 to 2), highest at all 2 points." in said(tmp_path, FIGURE + COMPARED, drops)
    drops["queue_drops"]["nodectl"] = [20.0, 5.0]
    assert "in between at all 2 points" in said(tmp_path, FIGURE + COMPARED, drops)


def test_what_has_no_value_is_said_whoever_lacks_it(tmp_path: Path) -> None:
    times = {"queue_drops": {"nodectl": [1.0], "reno": [2.0, 9.0], "cubic": [3.0]}}
    assert said(tmp_path, FIGURE + COMPARED, times) == (
        "What nodectl changes against NewReno and cubic: dropped: 1 (NewReno 2 to 9, cubic 3), lowest at 1 of 2 points, "
        "without a value: nodectl at 1 of 2 points and cubic at 1 of 2 points."
    )
    times["queue_drops"]["nodectl"] = []
    assert "dropped: — (NewReno 2 to 9, cubic 3), without a value: nodectl at all 2 points and" in said(tmp_path, FIGURE + COMPARED, times)


def test_means_that_are_nearly_the_same_are_equal(tmp_path: Path) -> None:
    totals = {"total_mbps": {"nodectl": [9.5, 38.0], "reno": [9.45, 20.0], "cubic": [9.55, 20.0]}}
    assert said(tmp_path, FIGURE, totals) == (
        "What nodectl changes against NewReno and cubic: total throughput, Mbit/s: 9.5 to 38 (NewReno 9.45 to 20, cubic 9.55 to 20), "
        "highest at 1 of 2 points and tied with all at 1 of 2 points."
    )


def by_repetition(folder: Path, values: dict[str, list[float]], drawn: str = "start_jitter_ms = 1") -> str:
    """The sentence, from each scheme's values in two repetitions; the others are the mean of those."""
    head = HEAD.replace("start_jitter_ms = 1", drawn)
    one = experiment(folder, FIGURE, head.replace("loss_percent = [0, 0.5]", "loss_percent = [0]").replace("[10, 40]", "[10]"))
    measured = results(one, lambda cell: {"total_mbps": values[cell.scheme][cell.repetition - 1]})
    return sentence(one.definition.figures[0], (), measured, {})


def test_an_order_is_said_where_the_seeds_agree_on_it_and_a_tie_is_called_one(tmp_path: Path) -> None:
    noisy = {"nodectl": [10.0, 30.0], "reno": [8.0, 27.9], "cubic": [5.0, 25.0]}
    assert "highest at the one point" in by_repetition(tmp_path, noisy), "with each seed it is so by nearly the same"
    assert "tied in total throughput, Mbit/s (20)" in by_repetition(tmp_path, {**noisy, "reno": [29.0, 10.0], "cubic": [21.0, 15.0]})
    assert "tied for the highest" in by_repetition(tmp_path, {**noisy, "reno": [29.0, 10.0]})


def test_of_single_runs_there_is_no_order_unless_nothing_is_drawn(tmp_path: Path) -> None:
    single = {"nodectl": [10.0], "reno": [8.0], "cubic": [5.0]}
    assert "highest at the one point" in by_repetition(tmp_path, single, "start_jitter_ms = 0")
    drawn = {"nodectl": [10.0, 0.0], "reno": [8.0, 0.0], "cubic": [5.0, 0.0]}
    one = experiment(tmp_path, FIGURE)
    every = results(one, lambda cell: {"total_mbps": drawn[cell.scheme][cell.repetition - 1]}).records
    first = Results(record for record in every if record.repetition == 1)
    assert "in no order, for want of more than one run, at all 2 points" in sentence(one.definition.figures[0], (), first, {})


def test_without_a_comparison_it_takes_what_the_figure_shows_and_what_every_cell_has(tmp_path: Path) -> None:
    figure = FIGURE.replace("total_mbps", "share").replace("where", 'y_label = "share, %", where')
    shares = {scheme: [1.0, 2.0] for scheme in ("nodectl", "reno")}
    text = said(tmp_path, figure, {"share": shares, "smoothed_rtt_ms": shares, "jain": shares})
    assert [text.index(words) for words in ("share, %", "smoothed RTT", "Jain's index")] == sorted(
        text.index(words) for words in ("share, %", "smoothed RTT", "Jain's index")
    )
    assert "dropped" not in text, "no cell has it"


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    assert said(tmp_path, FIGURE, {"total_mbps": {"nodectl": [1.0, 1.0]}}) == (
        "No other scheme has results at the points of nodectl, so there is nothing to compare."
    )
    one = experiment(tmp_path, FIGURE)
    without = Results(record for record in results(one, lambda _cell: {"total_mbps": 1.0}).records if record.scheme != "nodectl")
    assert sentence(one.definition.figures[0], (), without, {}) == "nodectl has no results here, so there is nothing to compare."
    network = experiment(tmp_path, '[[figures]]\nname = "net"\ncaption = "c"\ntopology = true\n')
    assert sentence(network.definition.figures[0], (), without, {}) == ""


def test_a_comparison_is_of_the_figures_it_names(tmp_path: Path) -> None:
    values = {name: {scheme: [1.0, 1.0] for scheme in ("nodectl", "reno", "cubic")} for name in ("queue_drops", "total_mbps")}
    assert "What nodectl changes against NewReno and cubic: tied in dropped (1)." in said(
        tmp_path, f'{FIGURE}{COMPARED}figures = ["rates"]\n', values
    )
    other = FIGURE.replace("rates", "others")
    assert "total throughput" in said(tmp_path, f'{FIGURE}{other}{COMPARED}figures = ["others"]\n', values)
    with pytest.raises(UserError, match="there is no figure 'nowhere'; there are rates"):
        said(tmp_path, f'{FIGURE}{COMPARED}figures = ["nowhere"]\n', values)
