"""How much longer transmissions took than alone: over their size, a panel a scheme, and how it is distributed, all schemes in one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from engine.collect.record import CellRecord
from engine.collect.samples import Floats
from engine.metrics.series import COMPLETION
from reports.figures.figure_files import save_picture
from reports.pictures.theme import line_style
from reports.summary.picture import PANEL_INCHES, TITLE_LETTERS
from scenario.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

BINS_A_DECADE = 3
LEAST_IN_A_BIN = 10
"""A median of fewer is not drawn."""
PERCENTILE = 99


def has_completions(record: CellRecord) -> bool:
    """Whether there is anything to draw."""
    return bool(record.series.get(f"{COMPLETION}size_bytes"))


def draw_completions(scenario: Scenario, records: Sequence[CellRecord], file: Path) -> None:
    """Draw records of one point, one a scheme, into ``file`` (PNG, SVG or PDF, as its name says).

    Those that had not ended are drawn with the time until the run's end.
    """
    from matplotlib.figure import Figure

    drawn = [record for record in records if has_completions(record)]
    columns = min(3, len(drawn) + 1)
    rows = -(-(len(drawn) + 1) // columns)
    figure = Figure(figsize=(PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows), layout="constrained")
    figure.suptitle(fill(f"{scenario.title}: completion time over that alone on the network", TITLE_LETTERS * columns))
    panels = [axes for row in figure.subplots(rows, columns, squeeze=False) for axes in row]
    highest = max(float(_slowdown(record).max()) for record in drawn)
    for number, (axes, record) in enumerate(zip(panels, drawn, strict=False)):
        _draw_over_size(axes, record, number)
        axes.set_ylim(0.9, highest * 1.2)
    _draw_distribution(panels[len(drawn)], drawn)
    for axes in panels[len(drawn) + 1 :]:
        axes.set_visible(False)
    save_picture(figure, file, dots_per_inch=120)


def over_size(size_bytes: Floats, slowdown: Floats) -> list[tuple[float, float, float]]:
    """In bins of size, a third of a decade wide: (middle, median of the slowdown, 99th percentile)."""
    number = np.floor(np.log10(size_bytes) * BINS_A_DECADE).astype(int)
    found = []
    for one in np.unique(number):
        values = slowdown[number == one]
        if values.size >= LEAST_IN_A_BIN:
            middle = 10 ** ((one + 0.5) / BINS_A_DECADE)
            found.append((float(middle), float(np.median(values)), float(np.percentile(values, PERCENTILE))))
    return found


def _draw_over_size(axes: Axes, record: CellRecord, number: int) -> None:
    size_bytes, slowdown = np.asarray(record.series[f"{COMPLETION}size_bytes"]), _slowdown(record)
    style = line_style(number, "light")
    axes.plot(size_bytes / 1e3, slowdown, ".", ms=2, alpha=0.3, color=style["color"])
    if binned := over_size(size_bytes, slowdown):
        middle, median, high = zip(*binned, strict=True)
        axes.plot(np.asarray(middle) / 1e3, median, color="black", linewidth=1.4, label="median")
        axes.plot(np.asarray(middle) / 1e3, high, color="black", linewidth=1.0, linestyle="--", label="99th percentile")
        axes.legend(fontsize=8)
    axes.set_title(record.scheme, fontsize=10)
    axes.set_xscale("log")
    axes.set_yscale("log")
    _label_slowdowns(axes.yaxis)
    axes.set_xlabel("size, kB")
    axes.set_ylabel("times as long as alone")
    axes.grid(alpha=0.3)


def _draw_distribution(axes: Axes, records: Sequence[CellRecord]) -> None:
    for number, record in enumerate(records):
        values = np.sort(_slowdown(record))
        axes.step(values, 1 - np.arange(values.size) / values.size, label=record.scheme, linewidth=1.2, **line_style(number, "light"))
    axes.set_title("part of the transmissions that took longer", fontsize=10)
    axes.set_xscale("log")
    axes.set_yscale("log")
    _label_slowdowns(axes.xaxis)
    axes.set_xlabel("times as long as alone")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)


def _label_slowdowns(axis: Axis) -> None:
    """1, 2, 5, 10 … as they are written: a range of slowdowns has seldom two powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _slowdown(record: CellRecord) -> Floats:
    took_s, ideal_s = (np.asarray(record.series[COMPLETION + part], dtype=float) for part in ("took_s", "ideal_s"))
    return np.asarray(took_s / ideal_s, dtype=float)
