"""Tables, bars, ratios, claims and figures, from definitions and made-up results."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from common.errors import UserError
from engine.plan.cell import Cell
from reports.account import longest_comparison
from reports.claims import published
from reports.claims.causes import Evidence
from reports.claims.judgement import ClaimStatus, judge
from reports.claims.published import PublishedTable, published_table
from reports.claims.ratios import with_ratios
from reports.definition import Cause, PanelDefinition
from reports.document.blocks import Picture, Table, Text
from reports.document.tables import TableMaker
from reports.figures.box_plot import Box
from reports.figures.figure_maker import FigureMaker
from reports.figures.panels import draw_panels
from reports.report import blocks_of_experiment
from reports.results import Results, spread
from tests.reports.parts.made_up import examples, experiment, results

RATE_TABLE = """
[[tables]]
caption = "Mbit/s."
head = "rate"
value = "total_mbps"
rows = ["rate_mbps", "loss_percent"]
labels = { rate_mbps = "{} Mbit/s", loss_percent = { 0 = "no loss", "0.5" = "lossy" } }
"""


def of_rate(cell: Cell) -> dict[str, float | None]:
    """Nodectl has the whole rate, the others 9/10 and 8/10; half of it with loss, in the second repetition 1 % more."""
    share = {"nodectl": 1.0, "reno": 0.9, "cubic": 0.8}[cell.scheme] * (0.5 if cell.parameters["loss_percent"] else 1)
    return {"total_mbps": float(cell.parameters["rate_mbps"]) * share * (1 + 0.01 * (cell.repetition - 1))}


def table(folder: Path, report: str, values: object = of_rate) -> Table:
    one = experiment(folder, report)
    return next(block for block in blocks_of_experiment(one, results(one, values)) if isinstance(block, Table))  # type: ignore[arg-type]


def text(folder: Path, report: str) -> str:
    one = experiment(folder, RATE_TABLE + report)
    return "\n".join(block.markdown for block in blocks_of_experiment(one, results(one, of_rate)) if isinstance(block, Text))


def test_a_row_for_each_point_a_column_for_each_scheme(tmp_path: Path) -> None:
    made = table(tmp_path, RATE_TABLE)
    assert made.header == ["rate", "reno", "cubic", "nodectl"]
    assert [row[0] for row in made.rows] == ["10 Mbit/s, no loss", "10 Mbit/s, lossy", "40 Mbit/s, no loss", "40 Mbit/s, lossy"]
    assert made.rows[3][3] == "20.1 ± 1.3"
    assert made.caption == "Mbit/s. Runs of each row: 2, 2026-11-22. Mean ± half of the 95 % confidence interval."


def test_a_variable_whose_label_is_empty_leaves_nothing_behind(tmp_path: Path) -> None:
    report = RATE_TABLE.replace('value = "total_mbps"', 'values = [{ value = "total_mbps", label = "total" }]')
    made = table(tmp_path, report.replace('"{} Mbit/s", loss_percent', '"", loss_percent').replace('0 = "no loss"', '0 = ""'))
    assert [row[0] for row in made.rows][:2] == ["total", "total, lossy"]


def test_rows_that_were_measured_unequally_often_say_so_themselves(tmp_path: Path) -> None:
    one = experiment(tmp_path, RATE_TABLE)
    every = results(one, of_rate).records
    fewer = Results(one for one in every if (one.repetition, one.parameters["rate_mbps"], one.scheme) != (2, 10, "reno"))
    made = next(block for block in blocks_of_experiment(one, fewer) if isinstance(block, Table))
    assert made.header[-1] == "runs"
    assert [row[-1] for row in made.rows] == ["1–2, 2026-11-22"] * 2 + ["2, 2026-11-22"] * 2


def test_a_row_a_scheme(tmp_path: Path) -> None:
    report = """
[[tables]]
caption = "c"
head = "rate, scheme"
columns = "value"
rows = ["rate_mbps", "scheme"]
where = { loss_percent = 0 }
values = [{ value = "total_mbps", label = "Mbit/s" }, { value = "queue_drops", label = "dropped" }]
labels = { rate_mbps = "{} Mbit/s" }
"""
    made = table(tmp_path, report)
    assert made.header == ["rate, scheme", "Mbit/s", "dropped"]
    assert [row[0] for row in made.rows] == [f"{rate} Mbit/s, {scheme}" for rate in (10, 40) for scheme in ("reno", "cubic", "nodectl")]
    assert made.caption == "c Runs of each row: 2, 2026-11-22. Mean ± half of the 95 % confidence interval."
    with pytest.raises(UserError, match="else each scheme has a column"):
        table(tmp_path, report.replace('columns = "value"', ""))


def test_values_as_columns_given_rows_and_what_was_not_measured(tmp_path: Path) -> None:
    report = """
[[tables]]
caption = "c"
columns = "value"
rows = ["rate_mbps"]
where = { loss_percent = 0 }
values = [{ value = "total_mbps", label = "all", form = ".2f" }, "never"]
given_rows = [{ label = "ideal", cells = ["1"] }]
"""
    made = table(tmp_path, report)
    assert made.header == ["", "reno: all", "cubic: all", "nodectl: all", "reno: ", "cubic: ", "nodectl: "]
    assert made.rows[0] == ["ideal", "1", *[""] * 5]
    assert made.rows[1][1:] == ["9.04 ± 0.57", "8.04 ± 0.51", "10.05 ± 0.64", "—", "—", "—"]


def test_the_published_row_follows_those_it_belongs_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    papers = tmp_path / "papers" / "someone"
    papers.mkdir(parents=True)
    (papers / "published.toml").write_text('scheme_names = { reno = "newreno" }\n[t]\n10mbps = { newreno = 7, x = 3 }\nB = { x = 1 }\n')
    monkeypatch.setattr(published, "PAPERS", tmp_path / "papers")
    assert published_table("someone/t", {"cubic": "x"}).value("10mbps", "cubic") == 3
    with pytest.raises(UserError, match="no published table 'someone/u'"):
        published_table("someone/u")
    report = RATE_TABLE + 'published = { table = "t", row = "{rate_mbps}mbps", columns = { cubic = "x" } }\n'
    monkeypatch.setattr("reports.document.tables.published_table", lambda _name, keys: published_table("someone/t", keys))
    made = table(tmp_path, report)
    assert [row[:2] for row in made.rows][:3] == [
        ["10 Mbit/s", "measured, no loss"],
        ["10 Mbit/s", "measured, lossy"],
        ["10 Mbit/s", "published"],
    ]
    assert made.rows[2][2:] == ["7", "3", "—"]
    assert len(made.rows) == 5, "nothing is published of the other rate"
    assert PublishedTable({"reno": 5}, {}).value("", "reno") == 5


def test_a_value_of_each_transmission(tmp_path: Path) -> None:
    report = """
[[tables]]
caption = "c"
value = "mean_mbps"
each = "transmission"
more_columns = [{ value = "fair_mbps", label = "fair", scheme = "reno" }]
"""
    made = table(tmp_path, report, lambda _cell: {"mean_mbps.A": 1.0, "mean_mbps.B": 2.0, "fair_mbps.A": 5.0, "fair_mbps.B": 6.0})
    assert made.rows == [["A", *["1.0 ± 0.0"] * 3, "5.0 ± 0.0"], ["B", *["2.0 ± 0.0"] * 3, "6.0 ± 0.0"]]


def test_a_bar_is_judged_at_each_point_by_what_was_measured(tmp_path: Path) -> None:
    bar = '[[bars]]\nscheme = "nodectl"\nvalue = "total_mbps"\nlabel = "all"\nunit = "Mbit/s"\nwhere = { loss_percent = 0 }\n'
    found = text(tmp_path, bar + 'at_least = "= 0.99 * rate_mbps if rate_mbps < 40 else 41"\nbecause = "of {rate_mbps}"\n')
    assert "nodectl, 10 Mbit/s, all: 10.05 ± 0.6353 Mbit/s; at least 9.9 Mbit/s (of 10): met" in found
    assert "nodectl, 40 Mbit/s, all: 40.2 ± 2.541 Mbit/s; at least 41 Mbit/s (of 40): **missed**" in found
    assert "10.1 (highest) Mbit/s; at most 10.05 Mbit/s: **missed**" in text(tmp_path, bar + 'at_most = 10.05\nstatistic = "highest"\n')
    assert "—; at most 1 Mbit/s: not measured" in text(tmp_path, bar.replace("total", "never") + "at_most = 1\n")


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("t.nodectl > max(t.reno, t.cubic)", "“It is best” (section 1): **confirmed** at all 4 points"),
        ("t.nodectl < t.reno", "**not confirmed** (10 Mbit/s, no loss: reno 9.045, cubic 8.04, nodectl 10.05 | 10 Mbit/s, lossy:"),
        ("t.nodectl > 12", "**differs**: confirmed at 2 of 4 points, not at 10 Mbit/s, no loss:"),
        ("t.bbr > 1", "not judged; without a value: 10 Mbit/s, no loss, "),
    ],
)
def test_a_claim_is_judged_by_its_rule(tmp_path: Path, rule: str, verdict: str) -> None:
    claim = f'[[claims]]\ntext = "It is best"\nsource = "section 1"\nvalues = {{ t = "total_mbps" }}\nrule = "{rule}"\n{examples(rule)}'
    assert verdict in text(tmp_path, claim)


@pytest.mark.parametrize(
    ("rule", "weaker", "verdict"),
    [
        ("t.nodectl > 30", "t.nodectl > 10", "**differs**: confirmed at 1 of 4 points, only `t.nodectl > 10` at 40 Mbit/s, lossy: reno"),
        ("t.nodectl > 50", "t.nodectl > 39", "**differs**: confirmed at 0 of 4 points, only `t.nodectl > 39` at 40 Mbit/s, no loss: reno"),
        ("t.nodectl > 50", "t.nodectl > 40", "**not confirmed** (10 Mbit/s"),
        ("t.nodectl > 50", "t.nodectl > 40", ", open at 40 Mbit/s, no loss: reno"),
        ("t.nodectl > 50", "t.nodectl > 45", "**not confirmed** (10 Mbit/s"),
        ("t.nodectl > t.reno", "t.nodectl > 1000", "**confirmed** at all 4 points"),
    ],
)
def test_a_claim_of_which_only_the_weaker_form_holds_differs(tmp_path: Path, rule: str, weaker: str, verdict: str) -> None:
    claim = f'[[claims]]\ntext = "t"\nsource = "s"\nvalues = {{ t = "total_mbps" }}\nrule = "{rule}"\nweaker = "{weaker}"\n'
    claim += examples(rule, weaker)
    assert verdict in text(tmp_path, claim)


@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ("t.reno > 1", "Suspected cause: it rains (`t.reno > 1` at all 4 points, n = 2)"),
        ("t.reno > 20", "Suspected cause: it rains (`t.reno > 20` at 1 of 4 points, n = 2)"),
        ("t.reno > 200", "Looked for and not found: it rains (`t.reno > 200` at 0 of 4 points, n = 2)"),
        ("t.bbr > 20", "Suspected cause: it rains (not looked for in these runs)"),
    ],
)
def test_a_cause_is_said_with_what_shows_it_where_a_claim_is_not_confirmed(tmp_path: Path, rule: str, shown: str) -> None:
    start = '[[claims]]\ntext = "t"\nsource = "s"\nvalues = { t = "total_mbps" }\n'
    cause = f'[[claims.causes]]\ntext = "it rains"\nvalues = {{ t = "total_mbps" }}\nrule = "{rule}"\n'
    high, higher = "t.nodectl > 30", "t.nodectl > t.reno"
    assert text(tmp_path, f'{start}rule = "{high}"\n{examples(high)}{cause}').count(f". {shown}") == 1
    assert "ause: " not in text(tmp_path, f'{start}rule = "{higher}"\n{examples(higher)}{cause}')


def test_a_cause_that_claims_share_is_one_of_the_paper_s(tmp_path: Path) -> None:
    claim = '[[claims]]\ntext = "t"\nsource = "s"\nvalues = { t = "total_mbps" }\nrule = "t.nodectl > 30"\n' + examples("t.nodectl > 30")
    one = experiment(tmp_path, f'{claim}[[claims.causes]]\nsame_as = "rain"\n')
    found = results(one, of_rate)
    rain = Cause(text="it rains", values={"t": "total_mbps"}, rule="t.reno > 1")
    said = blocks_of_experiment(one, found, evidence=Evidence({"rain": rain}))
    assert any(
        "Suspected cause: it rains (`t.reno > 1` at all 4 points, n = 2)" in block.markdown for block in said if isinstance(block, Text)
    )
    without = rain.model_copy(update={"takes_away": True})
    said = blocks_of_experiment(one, found, evidence=Evidence({"rain": without}))
    shown = "Cause: it rains (shown: without it the effect is gone, `t.reno > 1` at all 4 points, n = 2)"
    assert any(shown in block.markdown for block in said if isinstance(block, Text))
    once = Results(record.model_copy(update={"drawn": []}) for record in found.records)
    said = blocks_of_experiment(one, once, evidence=Evidence({"rain": without}))
    assert not any("Cause: it rains (shown" in block.markdown for block in said if isinstance(block, Text)), "one run shows nothing"
    with pytest.raises(UserError, match="there is no cause 'rain'"):
        blocks_of_experiment(one, found, evidence=Evidence({"sun": rain}))


def test_a_slow_claim_is_not_judged_in_a_quick_look(tmp_path: Path) -> None:
    one = experiment(
        tmp_path,
        '[[claims]]\ntext = "t"\nsource = "s"\nvalues = { t = "total_mbps" }\nslow = true\nrule = "t.nodectl > t.reno"\n'
        + examples("t.nodectl > t.reno"),
    )
    found = results(one, lambda cell: {"total_mbps": 9.0 if cell.scheme == "nodectl" else 8.0})
    (claim,) = one.definition.claims
    assert judge(claim, found, one.schemes, {}, {}).status is ClaimStatus.CONFIRMED
    look = judge(claim, found, one.schemes, {}, {}, quick=True)
    assert (look.status, look.verdict) == (ClaimStatus.NOT_JUDGED, "not judged: it takes longer than the runs of a quick look")


def test_a_ratio_is_of_two_runs_of_the_same_repetition_and_point(tmp_path: Path) -> None:
    ratio = '[[ratios]]\nname = "kept"\nvalue = "total_mbps"\nabove = { loss_percent = 0.5 }\nbelow = { loss_percent = 0 }\n'
    one = experiment(tmp_path, ratio)

    def values(cell: Cell) -> dict[str, float | None]:
        return {"total_mbps": 80.0 if cell.parameters["loss_percent"] == 0 else 40.0 * cell.repetition}

    measured = results(one, values)
    found = with_ratios(measured, one.definition.ratios).spread("kept", "nodectl", {"rate_mbps": 10})
    assert found is not None
    assert (found.lowest, found.highest, found.count) == (50.0, 100.0, 2)
    assert with_ratios(measured, one.definition.ratios).points(None, value="kept") == [{"rate_mbps": 10}, {"rate_mbps": 40}]
    lone = Results(record for record in measured.records if record.parameters["loss_percent"])
    assert with_ratios(lone, one.definition.ratios).spread("kept", "nodectl") is None


def test_a_ratio_is_over_another_scheme_at_the_same_point_in_the_same_repetition(tmp_path: Path) -> None:
    one = experiment(tmp_path, '[[ratios]]\nname = "of_reno"\nvalue = "total_mbps"\nover = "reno"\n')

    def values(cell: Cell) -> dict[str, float | None]:
        return {"total_mbps": cell.repetition * float(cell.parameters["rate_mbps"]) * (3 if cell.scheme == "cubic" else 2)}

    found = with_ratios(results(one, values), one.definition.ratios)
    for scheme, percent in (("reno", 100.0), ("cubic", 150.0)):
        spread_found = found.spread("of_reno", scheme, {"rate_mbps": 10, "loss_percent": 0})
        assert spread_found is not None
        assert (spread_found.lowest, spread_found.highest, spread_found.count) == (percent, percent, 2)


def test_figures_over_the_grid_and_over_time(tmp_path: Path) -> None:
    report = """
[[figures]]
name = "both"
caption = "c"
panels = [
  { x = "rate_mbps", y = "total_mbps", per = "loss_percent", level = "= 2 * rate_mbps", logarithmic_x = true },
  { series = ["throughput.*"], per = "scheme", typical = "total_mbps" },
]
"""
    one = experiment(tmp_path, report)
    measured = results(one, of_rate)
    for record in measured.records:
        record.series = {"throughput.A": [1.0, 2.0], "throughput.A.time_s": [0.0, 1.0], "throughput.B": [], "throughput.B.time_s": []}
    maker = FigureMaker(measured, {"reno": "NewReno"}, one)
    grid, over_time = one.definition.figures[0].panels
    panels = maker.panels(grid, {"reno": "NewReno"})
    assert [panel.level for panel in panels] == [20.0, 20.0]
    assert panels[0].lines[0].label == "NewReno"
    assert list(panels[0].lines[0].x) == [10.0, 40.0]
    assert list(panels[0].lines[0].high) == pytest.approx([9.6168, 38.4671], rel=1e-4), "mean and half of the interval"
    assert [[line.label for line in panel.lines] for panel in maker.panels(over_time, {})] == [["A", "B"]] * 3
    by_scheme = maker.panels(PanelDefinition(series=["throughput.A"]), {})
    assert [line.label for line in by_scheme[0].lines] == ["reno", "cubic", "nodectl"]
    picture = next(block for block in blocks_of_experiment(one, measured) if isinstance(block, Picture))
    picture.draw(tmp_path)
    assert (tmp_path / "made_up-both.png").stat().st_size > 5_000


BOX = '["low", "q1", "middle", "q3", "high"]'


def test_boxes_stand_by_scheme_or_in_groups(tmp_path: Path) -> None:
    report = f"""
[[figures]]
name = "boxes"
caption = "c"
panels = [
  {{ boxes = {BOX}, where = {{ rate_mbps = 10, loss_percent = 0 }}, level = 5 }},
  {{ boxes = {BOX}, x = "rate_mbps", where = {{ loss_percent = 0 }}, labels = {{ rate_mbps = "{{}} Mbit/s" }} }},
]
"""
    one = experiment(tmp_path, report)

    def values(cell: Cell) -> dict[str, float | None]:
        box = {name: float(cell.repetition + number) for number, name in enumerate(("low", "q1", "middle", "q3", "high"))}
        return {} if cell.scheme == "cubic" else dict(box)

    maker = FigureMaker(results(one, values), {}, one)
    by_scheme, grouped = (maker.panels(panel, {})[0] for panel in one.definition.figures[0].panels)
    assert by_scheme.boxes == [Box("reno", "", 1.5, 2.5, 3.5, 4.5, 5.5), Box("nodectl", "", 1.5, 2.5, 3.5, 4.5, 5.5)]
    assert [(box.label, box.group) for box in grouped.boxes] == [
        ("reno", "10 Mbit/s"), ("reno", "40 Mbit/s"), ("nodectl", "10 Mbit/s"), ("nodectl", "40 Mbit/s"),
    ]  # fmt: skip
    draw_panels([by_scheme, grouped], 2, tmp_path / "boxes")
    assert (tmp_path / "boxes.png").stat().st_size > 3_000
    columns, first, *_ = (tmp_path / "boxes.csv").read_text().splitlines()
    assert (columns, first) == ("panel,line,x,y,low,high,q1,q3", "1,reno,,3.5,1.5,5.5,2.5,4.5")


def test_a_scheme_that_nobody_can_run_has_a_column_that_says_so(tmp_path: Path) -> None:
    one = experiment(tmp_path, RATE_TABLE + 'more_columns = [{ value = "total_mbps", label = "again", scheme = "nodectl" }]\n')
    maker = TableMaker(results(one, of_rate), one.schemes, {}, "", {}, ["FB-TCP"])
    made = maker.table(one.definition.tables[0])
    assert made.header == ["rate", "reno", "cubic", "nodectl", "FB-TCP", "again"]
    assert [row[4] for row in made.rows] == ["not available"] * 4
    assert made.rows[0][3] == made.rows[0][5]


def test_results_leave_out_what_does_not_count(tmp_path: Path) -> None:
    one = experiment(tmp_path)
    measured = results(one, of_rate)
    for record in measured.records[:2]:
        record.failure = "broken"
    first = {"rate_mbps": 10, "loss_percent": 0}
    assert measured.text("total_mbps", "reno", ".1f", {**first}) == "9.1¹"
    assert measured.text("total_mbps", "bbr", ".1f") == "—"
    assert measured.points(["rate_mbps", "no_such"]) == [{"rate_mbps": 10}, {"rate_mbps": 40}]
    typical = measured.typical("total_mbps", "nodectl", {"rate_mbps": 40, "loss_percent": 0})
    assert typical is not None
    assert typical.values["total_mbps"] in (40, pytest.approx(40.4)), "the median lies between the two"
    found = spread([3.0, None, 1.0, 2.0])
    assert found is not None
    assert (found.mean, found.lowest, found.highest, found.count, found.text()) == (2.0, 1.0, 3.0, 3, "2.0 ± 2.5")
    assert spread([None]) is None


def test_the_account_says_how_far_apart_compared_schemes_were_measured(tmp_path: Path) -> None:
    measured = results(experiment(tmp_path), of_rate).records
    assert longest_comparison(measured) == timedelta(seconds=2 + 1.5)
    measured[1].started = "2026-11-22T19:00:00+00:00"
    assert longest_comparison(measured) == timedelta(hours=9, seconds=1.5)
    assert longest_comparison([record for record in measured if record.scheme == "reno"]) is None
