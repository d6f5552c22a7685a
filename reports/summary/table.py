"""The table of a run: mean throughput of each transmission and scheme, beside the ideal share and the published value."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table as TerminalTable

from common.units import BITS_PER_MEGABIT
from engine.plan.ideal import ideal
from reports.claims.published import published_table
from reports.document.blocks import Table
from reports.experiment import ReportedExperiment
from reports.results import MISSING, Results
from reports.summary.programs import COLUMNS as PROGRAM_COLUMNS
from reports.summary.programs import program_ends_table, program_table
from reports.summary.workloads import COLUMNS as WORKLOAD_COLUMNS
from reports.summary.workloads import workload_table
from scenario.file import Point
from scenario.scenario import Scenario

MAX_COLUMNS = 10
"""More transmissions than this are shown by their total alone."""


MARKED = ("marked", "queue_marks", ".0f")
"""Only where disciplines of queues mark."""

LAST = (("all", "total_mbps", ".2f"), ("dropped", "queue_drops", ".0f"), MARKED, ("Jain's index", "jain", ".4f"))
"""Header, value of the record, format: of the columns behind those of the transmissions."""


def summary_tables(experiment: ReportedExperiment, results: Results) -> list[Table]:
    """For each point of the grid: a table of its workloads, if it has any, and one of the transmissions that its file lists."""
    return [table for point, scenario in experiment.scenarios for table in _tables(experiment, results, point, scenario)]


def for_terminal(table: Table, title: str) -> TerminalTable:
    """A report's table as the terminal shows it, with a title; columns of words are left, of numbers right."""
    shown = TerminalTable(title=title, caption=table.caption, caption_justify="left")
    for position, name in enumerate(table.header):
        shown.add_column(name, justify="left" if position < table.left_columns else "right")
    for row in table.rows:
        shown.add_row(*row)
    return shown


def fair_shares_mbps(scenario: Scenario) -> dict[str, float]:
    """The mean rate that an ideal network would give each transmission in the measuring window, Mbit/s of payload."""
    model, window = ideal(scenario), scenario.run
    return {t.name: model.mean_bps(t.name, window.measure_from_s, window.measured_to_s) / BITS_PER_MEGABIT for t in scenario.transmissions}


def columns_of(scenario: Scenario) -> list[tuple[str, str, str]]:
    """Header, value of the record, and format of everything that the tables of a scenario show of a scheme."""
    if scenario.programs:
        return list(PROGRAM_COLUMNS)
    of_transmissions = [*_of_each(scenario), *_last(scenario)] if scenario.transmissions else []
    return [*(WORKLOAD_COLUMNS if scenario.workloads else ()), *of_transmissions]


def _of_each(scenario: Scenario) -> list[tuple[str, str, str]]:
    """Of the mean throughput of each transmission, unless there are too many."""
    names = [t.name for t in scenario.transmissions]
    alone = len(scenario.all_transmissions) == 1
    return [(name, "mean_mbps" if alone else f"mean_mbps.{name}", ".2f") for name in names] if len(names) <= MAX_COLUMNS else []


def _last(scenario: Scenario) -> list[tuple[str, str, str]]:
    return [one for one in LAST if one != MARKED or scenario.discipline_programs]


def _tables(experiment: ReportedExperiment, results: Results, point: Point, scenario: Scenario) -> list[Table]:
    if scenario.programs:
        return [program_table(results, point, scenario), *program_ends_table(results, point, scenario)]
    of_workloads = [workload_table(results, point, scenario)] if scenario.workloads else []
    return [*of_workloads, *([_table(experiment, results, point, scenario)] if scenario.transmissions else [])]


def _table(experiment: ReportedExperiment, results: Results, point: Point, scenario: Scenario) -> Table:
    of_each, last = _of_each(scenario), _last(scenario)
    rows = [_row(results, point, scenario, scheme, of_each, last) for scheme in scenario.run.schemes]
    fair = fair_shares_mbps(scenario)
    if of_each:
        rows.append(["max-min fair", *(f"{fair[name]:.2f}" for name, _, _ in of_each), *(MISSING for _ in last)])
    return Table(_caption(experiment, scenario, point), ["scheme", *(header for header, _, _ in [*of_each, *last])], rows)


def _row(
    results: Results,
    point: Point,
    scenario: Scenario,
    scheme: str,
    of_each: Sequence[tuple[str, str, str]],
    last: Sequence[tuple[str, str, str]],
) -> list[str]:
    published = published_table(scenario.published) if scenario.published else None
    cells = []
    for name, value, form in of_each:
        measured = results.text(value, scheme, form, point, marks=False)
        known = published.value(name, scheme) if published else None
        cells.append(measured if known is None or measured == MISSING else f"{measured} ({known:g})")
    return [scheme, *cells, *(results.text(value, scheme, form, point, marks=False) for _, value, form in last)]


def _caption(experiment: ReportedExperiment, scenario: Scenario, point: Point) -> str:
    run = scenario.run
    text = f"mean payload throughput from {run.measure_from_s:g} to {run.measured_to_s:g} s, Mbit/s"
    if point:
        text = f"{', '.join(f'{name} = {value}' for name, value in point.items())}: {text}"
    if any(cell.repetition > 1 for cell in experiment.cells()):
        text += ", mean ± half of its 95 % confidence interval over the seeds"
    text += "; max-min fair: in an ideal network, computed from the scenario; Jain's index: of throughput over that, without those refused"
    text += f"; dropped{', marked' if scenario.discipline_programs else ''}: packets, by the links' queues"
    return text + (f"; in brackets the published value ({scenario.source})" if scenario.published else "")
