"""The papers' files: all of them load, quick looks are short, and whole reports come out of made-up results."""

from __future__ import annotations

import re
import tomllib
from functools import partial
from pathlib import Path

import pytest

from common.errors import UserError
from common.units import BITS_PER_MEGABIT
from engine.collect.store import ResultStore
from engine.plan.budget import QUICK_LOOK_S, Work, virtual_budget
from engine.plan.cell import Cell
from engine.plan.experiment import Effort
from engine.plan.ideal import ideal
from protocol.frames import payload_share
from protocol.variant import Decision
from reports.claims import causes
from reports.claims.causes import Evidence
from reports.claims.comparisons import sentence
from reports.claims.judgement import judge
from reports.claims.published import PAPERS, published_table
from reports.claims.ratios import with_ratios
from reports.definition import SharedCause
from reports.document.blocks import Table, Text
from reports.experiment import ReportedExperiment
from reports.paper import paper_names, published_papers, read_paper
from reports.report import blocks_of_experiment, document, write_report
from reports.reproduce import REPETITIONS, chosen
from reports.results import Results
from scenario.run_request import Size
from scenario.scenario import Scenario
from tests.harness.long_tests import only_long
from tests.reports.parts.made_up import made_up, results
from tests.reports.parts.test_document import PIXEL
from tests.reports.read_once import read_once

FILES = [(name, file) for name in paper_names() for file in read_paper(name).experiment_files]
NODECTL = read_paper("nodectl")
KEPT_REPORT_S = {"nodectl": 6 * 3600.0, "atlas": 5 * 3600.0}
"""Where it is not three hours: Nodectl's own paper has 1674 cells."""

MARK = 123.25
"""No published value is this."""


def nodectl(name: str, effort: Effort | None = None) -> ReportedExperiment:
    return read_once(NODECTL.folder / f"{name}.toml", effort or Effort(repetitions=2))


def test_papers_are_found_by_their_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published = ["bic-cubic", "libra", "msstcp", "nodectl", "qtcolfair"]
    assert paper_names() == sorted([*published, "atlas", "churn", "l4s", "schemes"])
    assert [paper.name for paper in published_papers()] == published
    with pytest.raises(UserError, match="PAPER=nowhere is not known"):
        read_paper("nowhere")
    (tmp_path / "values").mkdir()
    (tmp_path / "values" / "published.toml").touch()
    monkeypatch.setattr("reports.paper.PAPERS", tmp_path)
    with pytest.raises(UserError, match="PAPER=values: its published values are there, but no experiments yet"):
        read_paper("values")


@pytest.mark.parametrize("file", sorted(PAPERS.glob("*/published.toml")), ids=lambda file: file.parent.name)
def test_published_values_say_where_they_are_from(file: Path) -> None:
    assert len(tomllib.loads(file.read_text())["citation"]) > 80


@pytest.mark.parametrize(("paper", "file"), FILES, ids=lambda value: value.stem if isinstance(value, Path) else value)
@pytest.mark.parametrize("size", Size)
def test_every_file_loads_at_every_point_and_what_it_shows_is_measured(paper: str, file: Path, size: Size) -> None:
    experiment = read_once(file, Effort(size, 2))
    cells = experiment.cells()
    assert len({cell.key for cell in cells}) == len(cells)
    assert all(len(part) < 200 for cell in cells for part in cell.key.split("/"))
    definition = experiment.definition
    known = {name for cell in cells for name in made_up(cell, experiment)} | {ratio.name for ratio in definition.ratios}
    wanted = [value.value for table in definition.tables if not table.each for value in table.values]
    wanted += [bar.value for bar in definition.bars] + [value for claim in definition.claims for value in claim.values.values()]
    wanted += [ratio.value for ratio in definition.ratios] + [
        one.value for f in definition.figures for panel in f.panels for one in panel.values
    ]
    assert set(wanted) <= known
    assert {bar.scheme for bar in definition.bars} <= set(experiment.schemes)
    for table in definition.tables:
        if table.published:
            rows = published_table(f"{paper}/{table.published.table}").rows
            assert {value.published for value in table.values if value.published} <= rows.keys()


@pytest.mark.parametrize(("paper", "file"), FILES, ids=lambda value: value.stem if isinstance(value, Path) else value)
def test_every_claim_can_be_judged(paper: str, file: Path) -> None:
    """A rule with a mistake in it would be one without values."""
    experiment = read_once(file, Effort(repetitions=2))
    measured = with_ratios(results(experiment, lambda cell: made_up(cell, experiment)), experiment.definition.ratios)
    for claim in experiment.definition.claims:
        for rule in (claim.rule, claim.weaker or claim.rule):
            judged = judge(claim.model_copy(update={"rule": rule, "weaker": None}), measured, experiment.schemes, {}, {}).judged
            assert judged > 0, f"{claim.text}: {rule}"


@pytest.mark.parametrize("paper", paper_names())
def test_every_cause_can_be_looked_for(paper: str) -> None:
    """One with a mistake in its rule would never be; and none that claims share is without a claim."""
    experiments = {file.stem: read_once(file, Effort(repetitions=2)) for file in read_paper(paper).experiment_files}
    measured = {name: results(one, partial(made_up, experiment=one)) for name, one in experiments.items()}
    evidence = Evidence(
        read_paper(paper).causes, {name: with_ratios(measured[name], one.definition.ratios) for name, one in experiments.items()}
    )
    shared = set()
    for name, one in experiments.items():
        for claim in one.definition.claims:
            for cause in evidence.of(claim):
                assert "not looked for" not in causes.said(cause, evidence.results[name], evidence), cause.text
            shared |= {cause.same_as for cause in claim.causes if isinstance(cause, SharedCause)}
    assert shared == evidence.causes.keys()


@pytest.mark.parametrize("paper", paper_names())
@pytest.mark.parametrize("size", [Size.QUICK, Size.NORMAL])
def test_a_report_keeps_within_its_budget(paper: str, size: Size) -> None:
    effort = Effort(size, usual_repetitions=1 if size is Size.QUICK else REPETITIONS)
    cells = [cell for experiment in chosen(read_paper(paper), (), effort) for cell in experiment.cells()]
    at_most_s = QUICK_LOOK_S if size is Size.QUICK else KEPT_REPORT_S.get(paper, 3 * 3600.0)
    budget = virtual_budget([Work(cells)], side_by_side=2)
    assert budget.expected_s < at_most_s, str(budget)


A_RATE = re.compile(r"mbps|total_percent|(least|largest)_share|deliverable")
RATES = re.compile(r"(mean|fair|total)_mbps(\.|$)|utilization$")
COUNTED_AS = re.compile(r"payload|frames?\b|IP packets", re.IGNORECASE)


@pytest.mark.parametrize("paper", paper_names())
def test_every_throughput_in_a_table_says_of_what(paper: str) -> None:
    """Payload, frames or IP packets: in its label, or in what is said of the whole table."""
    for file in read_paper(paper).experiment_files:
        definition = read_once(file).definition
        of_the_file = {name for name, one in definition.metrics.items() if A_RATE.search(one["metric"])}
        for table in definition.tables:
            for shown in [*table.values, *table.more_columns]:
                if shown.value in of_the_file or RATES.match(shown.value):
                    said = f"{table.caption} {table.head} {shown.label}"
                    assert COUNTED_AS.search(said), f"{file.name}: {said}"


def test_a_slower_controller_is_measured_at_every_delay() -> None:
    chosen_ones = chosen(NODECTL, ("sensitivity",), Effort(repetitions=1))
    assert [one.name for one in chosen_ones] == ["sensitivity"]
    measured: dict[tuple[object, ...], list[tuple[float | None, ...]]] = {}
    for point, scenario in chosen_ones[0].scenarios:
        times = scenario.computing
        given = (times.controller_event_ms, times.controller_record_us, times.controller_channel_ms, times.pipeline_us)
        measured.setdefault((point["table"], point["where"], len(scenario.all_transmissions)), []).append(given)
        assert scenario.layout.trunks[0].link.delay_ms == int(point["rtt_ms"]) / 2 - 10
    assert measured == {
        (3, "computing", 1): [(ms, 0, 0, None) for ms in (0, 1, 10, 100) for _ in range(8)],
        (7, "computing", 3): [(ms, 0, 0, None) for ms in (0, 1, 10, 100)],
        (7, "channel", 3): [(0, 0, ms, None) for ms in (1, 10, 100)],
    }
    assert len(chosen(NODECTL, ("sensitivity",), Effort(Size.QUICK, 1))[0].cells()) == 4


@pytest.mark.parametrize(("table", "ours"), [("table3", 3), ("table7", 7)])
def test_a_slower_controller_is_measured_on_the_tables_own_networks(table: str, ours: int) -> None:
    def shown(scenario: Scenario) -> tuple[object, ...]:
        link, window = scenario.layout.trunks[0].link, scenario.run
        of_run = (window.duration_s, window.measure_from_s, window.attempts, scenario.packet_bytes, scenario.initial_window_packets)
        return link, of_run, [(t.name, t.start_s, t.stop_s, t.size_bytes) for t in scenario.transmissions], scenario.topology.access

    theirs = [shown(scenario) for _, scenario in nodectl(table).scenarios]
    sensitivity = nodectl("sensitivity").scenarios
    assert [shown(one) for point, one in sensitivity if point["table"] == ours and point["slow_ms"] == 0] == theirs


@pytest.mark.parametrize("name", paper_names())
def test_main_figures_are_one_point_of_what_is_measured(name: str) -> None:
    paper = read_paper(name)
    assert paper.main_figures
    for main in paper.main_figures:
        experiment = read_once(paper.folder / f"{main.experiment}.toml", Effort(repetitions=1))
        measured = with_ratios(results(experiment, lambda cell, one=experiment: made_up(cell, one)), experiment.definition.ratios)  # type: ignore[misc]
        assert len(measured.points(None, main.where, main.value)) == 1, main.label
        assert measured.select(where=main.where), main.label
        assert main.figure is None or main.figure in [figure.name for figure in experiment.definition.figures]
        if main.published:
            assert published_table(f"{name}/{main.published.table}").rows


@pytest.mark.parametrize(("paper", "file"), FILES, ids=lambda value: value.stem if isinstance(value, Path) else value)
def test_every_figure_has_nodectl_beside_it(paper: str, file: Path) -> None:
    experiment = read_once(file, Effort(repetitions=1))
    drawn = [figure for figure in experiment.definition.figures if not figure.topology]
    assert not drawn or "nodectl" in experiment.schemes
    measured = results(experiment, lambda cell: made_up(cell, experiment))
    others = [scheme for scheme in experiment.schemes if scheme != "nodectl"]
    for figure in drawn if others else []:
        said = sentence(figure, experiment.definition.comparisons, with_ratios(measured, experiment.definition.ratios), {})
        assert said.startswith("What nodectl changes against "), f"{paper} {figure.name}: {said}"


def test_compared_schemes_are_measured_one_after_the_other() -> None:
    for _, file in FILES:
        experiment = read_once(file, Effort(repetitions=2))
        order = [(cell.repetition, [value for value in cell.parameters.values() if value != cell.scheme]) for cell in experiment.cells()]
        assert len({str(one) for one in order}) == sum(a != b for a, b in zip(order, [None, *order], strict=False))


@pytest.mark.parametrize("name", NODECTL.experiments)
def test_measured_and_published_are_rows_of_their_own(name: str) -> None:
    experiment = nodectl(name)
    for table in blocks_of_experiment(experiment, results(experiment, lambda cell: made_up(cell, experiment, MARK)), NODECTL):
        if isinstance(table, Table):
            assert all(len(row) == len(table.header) for row in table.rows)
            assert table.rows
            for row in table.rows:
                if "published" in row:
                    assert not any(cell.startswith("123") for cell in row)


def test_published_rows_are_those_of_the_paper() -> None:
    experiment = nodectl("table3")
    blocks = blocks_of_experiment(experiment, results(experiment, lambda cell: made_up(cell, experiment)), NODECTL)
    table = next(block for block in blocks if isinstance(block, Table))
    assert [row[2:] for row in table.rows if "published" in row] == [
        ["121", "121", "139", "41"], ["596", "596", "702", "162"], ["168", "168", "194", "40"], ["820", "820", "920", "160"],
    ]  # fmt: skip


def said(name: str, values: dict[str, dict[str, float]]) -> str:
    """The bars and claims of an experiment, from values by scheme."""
    experiment = nodectl(name)
    measured = results(experiment, lambda cell: values.get(cell.scheme, {}))
    return "\n".join(block.markdown for block in blocks_of_experiment(experiment, measured, NODECTL) if isinstance(block, Text))


def test_table_5_is_judged_as_a_reader_would() -> None:
    values = {"rtt_range_ms": 10.43, "lateness_max_ms": 10.34, "throughput_range_mbps": 3.1, "throughput_range_undisturbed_mbps": 0.17}
    text = said("table5", {"nodectl": {**values, "undisturbed_percent": 94.0, "standstills_ms": 68.0}})
    assert "range of the smoothed RTT: 10.43 ± 0 ms; at most 1 ms (published: 0.2 ms): **missed**" in text
    assert "range of the throughput: 3.1 ± 0 Mbit/s; at most 0.75" in text
    assert (
        "0.17 ± 0 Mbit/s; at most 0.75 Mbit/s (2 % of the rate, of payload; 94 % of the bins, the others had 68 ms of standstills): met"
        in text
    )


def test_table_9_says_where_nodectl_is_not_the_highest() -> None:
    experiment = nodectl("table9")
    lossy = {"reno": 30.0, "cubic": 25.0, "bbr": 110.5, "nodectl": 110.4}

    def values(cell: Cell) -> dict[str, float | None]:
        return {"total_mbps": 112.5 if cell.parameters["lossy"] != "trunks" else lossy[cell.scheme], "deliverable_percent": 100.0}

    blocks = blocks_of_experiment(experiment, results(experiment, values), NODECTL)
    text = "\n".join(block.markdown for block in blocks if isinstance(block, Text))
    assert "consistently maintaining the highest throughput” (section 6.5): **differs**: confirmed at 0 of 7 points, only `" in text
    assert "loss on every link between switches, 0.5 %: NewReno 30, Cubic 25, Bbr 110.5, Nodectl 110.4" in text


def test_the_phases_of_the_parking_lot_are_max_min_fair() -> None:
    experiment = nodectl("ablation_parking_lot")
    scenario = experiment.scenarios[0][1]
    phases = [one for one in experiment.definition.metrics.values() if one["metric"] == "mean_mbps"]
    share_bps = BITS_PER_MEGABIT * payload_share(scenario.packet_bytes)
    shares = [ideal(scenario).mean_bps("a", one["from_s"], one["to_s"]) / share_bps for one in phases]
    (given,) = experiment.definition.tables[0].given_rows
    assert [float(cell) for cell in given.cells[: len(phases)]] == pytest.approx(shares)


def test_the_paper_s_letter_keeps_what_the_paper_has() -> None:
    for name in ("ablation_parking_lot", "ablation_burst"):
        last = nodectl(name).scenarios[-1][1]
        assert set(last.without) == set(Decision) - {Decision.V_Q, Decision.Q_T}
    assert set(nodectl("letter_of_q_t").scenarios[-1][1].without) == set(Decision) - {Decision.V_Q}


@pytest.mark.parametrize("size", [pytest.param(size, marks=only_long if size is Size.NORMAL else ()) for size in Size])
def test_the_whole_report(tmp_path: Path, size: Size, monkeypatch: pytest.MonkeyPatch) -> None:
    # Drawing takes long, and has tests of its own.
    monkeypatch.setattr(
        "reports.figures.figure_maker.draw_panels", lambda _panels, _columns, stem: stem.with_suffix(".png").write_bytes(PIXEL)
    )
    store, effort = ResultStore(tmp_path), Effort(size, 1)
    experiments = [read_once(file, effort) for file in NODECTL.experiment_files]
    empty, _ = write_report(NODECTL, experiments, store, "make reproduce")
    assert empty.read_text().count("Nothing measured yet.") == len(experiments)
    for experiment in experiments:
        for record in results(experiment, lambda cell, one=experiment: made_up(cell, one)).records:  # type: ignore[misc]
            store.save(record)
    in_markdown, in_html = write_report(NODECTL, experiments, store, "make reproduce")
    text = in_markdown.read_text()
    for heading in ("Where the other schemes differ", "The receive window", "Where this testbed deviates", "Account of the runs"):
        assert f"## {heading}" in text
    assert in_html.read_text().count("data:image/png;base64,") == sum(len(one.definition.figures) for one in experiments)


def test_findings_are_computed() -> None:
    experiments = [nodectl(name) for name in NODECTL.experiments]
    measured = {one.name: results(one, lambda cell, one=one: made_up(cell, one, MARK)) for one in experiments}  # type: ignore[misc]
    text = "\n".join(block.markdown for block in document(NODECTL, experiments, measured, "c") if isinstance(block, Text))
    assert "the published 37.5 % are nearer to the queue of 1000" in text
    assert "Above the link's rate here: reno, cubic, bbr." in text
    assert "Measured: 123.2 and 123.25 Mbit/s, 100.0 % (the mean of the ratios of each seed, as in the table). Published: 42.7 %." in text
    assert NODECTL.section("findings")({name: Results([]) for name in measured}, NODECTL) == []
