"""Figures of a report: panels of curves. Drawing libraries are loaded only when something is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL_INCHES = (4.6, 3.2)
DOTS_PER_INCH = 90
GROUP_WIDTH = 0.8
"""Of what lies between two groups of boxes."""
BOX_WIDTH = 0.8
"""Of a box's place in its group."""


@dataclass(frozen=True)
class Line:
    """One curve; ``low`` and ``high``, if given, are the spread around it."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True)
class Box:
    """One box of a box plot; ``group`` is where it stands on the horizontal axis, empty if each label has a place of its own."""

    label: str
    group: str
    low: float
    q1: float
    median: float
    q3: float
    high: float


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
    points: bool = False
    """Mark the points: they are measured cells rather than a curve over time."""
    from_zero: bool = True
    """Begin the vertical axis at 0."""
    boxes: Sequence[Box] = field(default_factory=tuple)
    """Instead of lines: side by side, those of a group together."""

    @property
    def labels(self) -> list[str]:
        """Of what is drawn, each of which has a colour."""
        return [*(line.label for line in self.lines), *(box.label for box in self.boxes)]


def draw_panels(panels: Sequence[Panel], columns: int, file: Path) -> None:
    """Draw panels row by row into a PNG file; each label has one colour in all of them."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    panels = panels or [Panel("", "", "")]  # which says that nothing was measured
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(
        rows, columns, squeeze=False, figsize=(PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows), layout="constrained"
    )
    labels = list(dict.fromkeys(label for panel in panels for label in panel.labels))
    colours = {label: f"C{number % 10}" for number, label in enumerate(labels)}
    for position, axes in enumerate(grid.flat):
        if position >= len(panels):
            axes.set_visible(False)
            continue
        panel = panels[position]
        drawn = [line for line in panel.lines if len(line.x)]
        for line in drawn:
            axes.plot(
                line.x, line.y, label=line.label, color=colours[line.label], linewidth=1.2, marker="o" if panel.points else None, ms=3
            )
            if line.low and line.high:
                axes.fill_between(line.x, line.low, line.high, color=colours[line.label], alpha=0.2, linewidth=0)
        _draw_boxes(axes, panel.boxes, colours)
        if panel.level is not None:
            axes.axhline(panel.level, color="black", linewidth=0.8, linestyle="--", label=panel.level_label or None)
        if panel.logarithmic_x and drawn:
            axes.set_xscale("log")
        axes.set_title(panel.title, fontsize=9)
        axes.set_xlabel(panel.x_label, fontsize=8)
        axes.set_ylabel(panel.y_label, fontsize=8)
        axes.tick_params(labelsize=8)
        if panel.from_zero:
            axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        if drawn or any(one.group for one in panel.boxes):
            axes.legend(fontsize=7)
        elif not panel.boxes:
            axes.text(0.5, 0.5, "not measured", ha="center", transform=axes.transAxes)
    figure.savefig(file, dpi=DOTS_PER_INCH)
    plt.close(figure)


def _draw_boxes(axes: Axes, boxes: Sequence[Box], colours: Mapping[str, str]) -> None:
    if not boxes:
        return
    groups = list(dict.fromkeys(one.group or one.label for one in boxes))
    labels = list(dict.fromkeys(one.label for one in boxes)) if boxes[0].group else [""]
    width = GROUP_WIDTH / len(labels)
    for one in boxes:
        aside = labels.index(one.label) - (len(labels) - 1) / 2 if one.group else 0.0
        statistics = {"whislo": one.low, "q1": one.q1, "med": one.median, "q3": one.q3, "whishi": one.high}
        (drawn,) = axes.bxp(
            [statistics],
            positions=[groups.index(one.group or one.label) + aside * width],
            widths=width * BOX_WIDTH,
            showfliers=False,
            patch_artist=True,
            manage_ticks=False,
            medianprops={"color": "black"},
        )["boxes"]
        drawn.set(facecolor=colours[one.label], alpha=0.6)
        if one.group and one.group == groups[0]:
            drawn.set_label(one.label)
    axes.set_xticks(range(len(groups)), groups, fontsize=7)
