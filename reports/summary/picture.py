"""The picture of a run: a panel a scheme, throughput of each transmission over time below, losses above, events marked.

Where ordinary programs run, the number that have ended replaces the throughput.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from engine.collect.record import CellRecord
from engine.metrics.series import COMPLETION, PROGRAMS_DONE, TOTAL
from reports.definition import FigureDefinition, PanelDefinition
from reports.experiment import ReportedExperiment
from reports.figures.figure_files import save_picture
from reports.pictures.palette import GROUND
from reports.pictures.theme import line_style
from scenario.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SERIES = ("throughput.*", PROGRAMS_DONE, "queue_drops")
"""The series that the picture draws."""
OF_WORKLOADS = (TOTAL, f"{COMPLETION}*", PROGRAMS_DONE, "queue_drops")
"""The same where transmissions arrive by the hundred, besides the throughput of each that the file lists."""

PANEL_INCHES = (6.0, 4.0)
LOSS_SHARE_OF_PANEL = (1, 3)
TITLE_LETTERS = 56
"""The most letters in a line of the title, a panel wide."""
MAX_LABELS = 12


def with_run_picture(experiment: ReportedExperiment) -> ReportedExperiment:
    """The experiment with the series that :func:`draw_run` needs."""
    names = list(SERIES)
    if any(scenario.workloads for _, scenario in experiment.scenarios):
        listed = {f"throughput.{one.name}": None for _, scenario in experiment.scenarios for one in scenario.transmissions}
        names = [*listed, *OF_WORKLOADS]
    figure = FigureDefinition(name="run", caption="", panels=[PanelDefinition(series=names)])
    figures = [*experiment.definition.figures, figure]
    return experiment.with_definition(experiment.definition.model_copy(update={"figures": figures}))


def draw_run(scenario: Scenario, records: Sequence[CellRecord], file: Path) -> None:
    """Draw records of one point, one a scheme, into ``file`` (PNG, SVG or PDF, as its name says)."""
    from matplotlib.figure import Figure  # not pyplot, which has one state for all who draw, a notebook too

    columns = min(2, len(records))
    rows = -(-len(records) // columns)
    figure = Figure(figsize=(PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows), layout="constrained")
    bins = "" if scenario.programs else " (bins of 100 ms)"
    figure.suptitle(fill(f"{scenario.title}{bins}", TITLE_LETTERS * columns))
    panels = figure.subfigures(rows, columns, squeeze=False)
    highest = max((max(values, default=0.0) for record in records for _, _, values in _throughputs(record)), default=0.0)
    most_lost = max((max(record.series.get("queue_drops", []), default=0.0) for record in records), default=0.0)
    for position, record in enumerate(records):
        upper, lower = panels[position // columns][position % columns].subplots(2, 1, sharex=True, height_ratios=LOSS_SHARE_OF_PANEL)
        jain = record.values.get("jain")
        fairness = "" if jain is None else f", Jain's index {jain:.3f}"
        upper.set_title(f"{record.scheme}: {record.values['queue_drops']:.0f} packets dropped{fairness}", fontsize=10)
        _draw_losses(upper, record)
        if scenario.programs:
            _draw_programs(lower, record, scenario)
        else:
            _draw_throughput(lower, record, scenario)
            lower.set_ylim(0, max(highest * 1.05, 1e-3))
        _mark_events(lower, upper, scenario)
        upper.set_ylim(0, max(1.0, most_lost * 1.1))
    save_picture(figure, file, dots_per_inch=120)


def _throughputs(record: CellRecord) -> list[tuple[str, list[float], list[float]]]:
    names = [name for name in record.series if name.startswith("throughput.") and not name.endswith(".time_s")]
    found = [(name.partition(".")[2], record.series[f"{name}.time_s"], record.series[name]) for name in names]
    return [*found, ("all together", record.series[f"{TOTAL}.time_s"], record.series[TOTAL])] if TOTAL in record.series else found


def _draw_losses(axes: Axes, record: CellRecord) -> None:
    time_s, lost = (np.asarray(record.series.get(name, [])) for name in ("queue_drops.time_s", "queue_drops"))
    axes.bar(time_s, lost, width=0.1, color=GROUND["light"]["dropped"])
    axes.set_ylabel("lost packets", fontsize=8)
    axes.grid(alpha=0.3)


def _draw_throughput(axes: Axes, record: CellRecord, scenario: Scenario) -> None:
    curves = _throughputs(record)
    for number, (name, time_s, mbps) in enumerate(curves):
        axes.plot(time_s, mbps, label=name if len(curves) <= MAX_LABELS else None, linewidth=1.2, **line_style(number, "light"))
    axes.set_xlim(0, scenario.run.duration_s)
    axes.set_xlabel("time, s")
    axes.set_ylabel("payload read at the receiver, Mbit/s")
    if curves and len(curves) <= MAX_LABELS:
        axes.legend(loc="upper right", fontsize=8)
    axes.grid(alpha=0.3)


def _draw_programs(axes: Axes, record: CellRecord, scenario: Scenario) -> None:
    done = record.series.get(PROGRAMS_DONE, [])
    time_s = record.series.get(f"{PROGRAMS_DONE}.time_s", [])
    axes.step([*time_s, scenario.run.duration_s], [*done, *done[-1:]], where="post", linewidth=1.2, **line_style(0, "light"))
    axes.set_xlim(0, scenario.run.duration_s)
    axes.set_ylim(0, 1.05 * sum(program.count for program in scenario.programs if program.listens_on is None))
    axes.set_xlabel("time, s")
    axes.set_ylabel("programs done")
    axes.grid(alpha=0.3)


def _mark_events(lower: Axes, upper: Axes, scenario: Scenario) -> None:
    for event in scenario.events:
        for axes in (lower, upper):
            axes.axvline(event.at_s, color="black", linestyle=":", linewidth=1)
        lower.annotate(str(event), (event.at_s, 1.0), xycoords=("data", "axes fraction"), xytext=(2, -4), textcoords="offset points",
                       rotation=90, fontsize=7, va="top")  # fmt: skip
