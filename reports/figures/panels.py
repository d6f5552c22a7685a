"""Figures of a report: panels of curves. Drawing libraries are loaded only when something is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, repeat
from pathlib import Path

import numpy as np

from reports.figures.box_plot import Box, draw_boxes
from reports.figures.figure_files import save, write_csv
from reports.pictures.palette import GROUND, Theme
from reports.pictures.theme import ground, line_style

PANEL_INCHES = (4.6, 3.2)
DOTS_PER_INCH = 90
COLUMNS = ("panel", "line", "x", "y", "low", "high")
"""Columns of a figure's data; a box is a line of its own, with its median as y."""
BOX_COLUMNS = ("q1", "q3")
"""More columns, for a figure with boxes."""

LEAST_GAP = 0.07
"""The least distance between two numbers on an axis, as a part of its length."""

VISIBLE_POINTS = 400
"""The most points that a curve is drawn with: a panel is some 350 dots wide."""


@dataclass(frozen=True)
class Line:
    """One curve; ``low`` and ``high``, if given, are the interval around it."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True)
class Panel:
    """One pair of axes. ``level`` is a horizontal line, e.g. the bandwidth-delay product."""

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line] = field(default_factory=tuple)
    level: float | None = None
    level_label: str = ""
    logarithmic_x: bool = False
    ticks: Sequence[float] = ()
    """With ``logarithmic_x``: the values that have a tick; none: powers of ten."""
    points: bool = False
    """Mark the points: they are measured cells rather than a curve over time."""
    from_zero: bool = True
    """Begin the vertical axis at 0."""
    boxes: Sequence[Box] = field(default_factory=tuple)
    """Box plots; a panel has either these or ``lines``."""
    marks: Sequence[tuple[float, str]] = field(default_factory=tuple)
    """Moments of events on the horizontal axis, and the text of each."""

    @property
    def labels(self) -> list[str]:
        """The labels of all lines and boxes, in the order in which they are drawn."""
        return [*(line.label for line in self.lines), *(box.label for box in self.boxes)]


def draw_panels(panels: Sequence[Panel], columns: int, stem: Path, theme: Theme = "light") -> None:
    """Draw panels row by row into a PNG and an SVG file, and write their data beside them; each label has one colour in all of them."""
    panels = [replace(panel, lines=[visible(line) for line in panel.lines]) for panel in panels]
    panels = panels or [Panel("", "", "")]  # which says that nothing was measured
    with ground(theme):
        _draw(panels, min(columns, len(panels)), stem, theme)
    if theme == "light":  # the data is the same on any ground
        write_csv(stem, (*COLUMNS, *(BOX_COLUMNS if any(panel.boxes for panel in panels) else ())), _rows(panels))


def _draw(panels: Sequence[Panel], columns: int, stem: Path, theme: Theme) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(
        rows, columns, squeeze=False, figsize=(PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows), layout="constrained"
    )
    labels = list(dict.fromkeys(label for panel in panels for label in panel.labels))
    styles = {label: line_style(number, theme) for number, label in enumerate(labels)}
    colours = {label: str(style["color"]) for label, style in styles.items()}
    for position, axes in enumerate(grid.flat):
        if position >= len(panels):
            axes.set_visible(False)
            continue
        panel = panels[position]
        drawn = [line for line in panel.lines if len(line.x)]
        for line in drawn:
            axes.plot(line.x, line.y, label=line.label, **styles[line.label], linewidth=1.2, marker="o" if panel.points else None, ms=3)
            if line.low and line.high:
                axes.fill_between(line.x, line.low, line.high, color=colours[line.label], alpha=0.2, linewidth=0)
        draw_boxes(axes, panel.boxes, colours)
        if panel.level is not None:
            axes.axhline(panel.level, color=GROUND[theme]["text"], linewidth=0.8, linestyle="--", label=panel.level_label or None)
        for moment, what in panel.marks:
            axes.axvline(moment, color=GROUND[theme]["faint"], linewidth=0.8, linestyle=":")
            axes.text(moment, 0.98, f" {what}", transform=axes.get_xaxis_transform(), rotation=90, va="top", fontsize=6)
        if panel.logarithmic_x and drawn:
            axes.set_xscale("log")
            if panel.ticks:
                axes.set_xticks(readable_ticks(panel.ticks), minor=False)
                axes.set_xticks([], minor=True)
                axes.xaxis.set_major_formatter("{x:g}")
        axes.set_title(panel.title, fontsize=9)
        axes.set_xlabel(panel.x_label, fontsize=8)
        axes.set_ylabel(panel.y_label, fontsize=8)
        axes.tick_params(labelsize=8)
        if panel.from_zero:
            axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        if drawn or any(box.group for box in panel.boxes):
            axes.legend(fontsize=7)
        elif not panel.boxes:
            axes.text(0.5, 0.5, "not measured", ha="center", transform=axes.transAxes)
    save(figure, stem, dots_per_inch=DOTS_PER_INCH)
    plt.close(figure)


def readable_ticks(values: Sequence[float]) -> list[float]:
    """The values that have room for their numbers on a logarithmic axis: the first and the last, and as many as fit between."""
    known = sorted(value for value in set(values) if value > 0)
    if len(known) < 3:
        return known
    least = (math.log(known[-1]) - math.log(known[0])) * LEAST_GAP
    kept = [known[0]]
    for value in known[1:-1]:
        if math.log(value) - math.log(kept[-1]) >= least and math.log(known[-1]) - math.log(value) >= least:
            kept.append(value)
    return [*kept, known[-1]]


def visible(line: Line) -> Line:
    """A curve with only as many points as can be seen: the lowest and the highest of each stretch, so that no peak is lost."""
    if len(line.x) <= VISIBLE_POINTS:
        return line
    edges = np.linspace(0, len(line.x), VISIBLE_POINTS // 2 + 1).astype(int)
    values = np.asarray(line.y)
    picked = sorted(
        {int(begin + found) for begin, end in pairwise(edges) for found in (values[begin:end].argmin(), values[begin:end].argmax())}
    )
    return Line(line.label, [line.x[one] for one in picked], [line.y[one] for one in picked])


def _rows(panels: Sequence[Panel]) -> Iterator[list[object]]:
    for number, panel in enumerate(panels, start=1):
        for line in panel.lines:
            spread = zip(line.low, line.high, strict=True) if line.low and line.high else repeat(("", ""))
            for x, y, (low, high) in zip(line.x, line.y, spread, strict=False):
                yield [panel.title or str(number), line.label, x, y, low, high]
        for box in panel.boxes:
            yield [panel.title or str(number), box.label, box.group, box.median, box.low, box.high, box.q1, box.q3]
