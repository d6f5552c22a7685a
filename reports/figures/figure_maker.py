"""Figures of a report from their definitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from engine.collect.record import CellRecord
from reports.claims.comparisons import sentence
from reports.definition import FigureDefinition, PanelDefinition
from reports.document.blocks import Picture, picture_name
from reports.document.labels import label, limit_at
from reports.figures.box_plot import Box
from reports.figures.panels import Line, Panel, draw_panels
from reports.figures.topology_figure import draw_topology
from reports.results import Results
from scenario.file import Scalar

if TYPE_CHECKING:
    from reports.experiment import ReportedExperiment

SCHEME = "scheme"
TIME = ".time_s"
WORDS = {"fair": "fair share", "mean_mbps": "mean throughput", "fair_mbps": "fair share", "rtt": "RTT"}
"""Labels of values and series, where they are not their names with spaces."""


class FigureMaker:
    """Makes the figures of one experiment.

    Args:
        results: with ratios.
        names: of schemes.
        experiment: for its name, its schemes in the order of the legend, and pictures of its network.
    """

    def __init__(self, results: Results, names: Mapping[str, str], experiment: ReportedExperiment) -> None:
        self._results, self._names, self._experiment = results, names, experiment
        self._schemes = experiment.schemes

    def picture(self, definition: FigureDefinition) -> Picture:
        """One figure, which is drawn when the report is written."""
        name, names = picture_name(self._experiment.name, definition.name), {**self._names, **definition.names}
        remark = sentence(definition, self._experiment.definition.comparisons, self._results, names)
        return Picture(name, definition.caption, lambda folder: self._draw(definition, names, folder / name), remark)

    def _draw(self, definition: FigureDefinition, names: Mapping[str, str], stem: Path) -> None:
        if definition.topology:
            draw_topology(self._experiment.scenarios[0][1], stem)
        else:
            draw_panels([one for panel in definition.panels for one in self.panels(panel, names)], definition.columns, stem)

    def panels(self, panel: PanelDefinition, names: Mapping[str, str]) -> list[Panel]:
        """The panels of one definition: one, or one for each value of ``per``."""
        if panel.per == SCHEME:
            measured = [scheme for scheme in self._schemes if self._results.select(scheme, panel.where)]
            return [self._panel(panel, [scheme], {}, names.get(scheme, scheme), names) for scheme in measured]
        points = self._results.points([panel.per] if panel.per else [], panel.where)
        titles = [", ".join(label(name, value, panel.labels) for name, value in point.items()) for point in points]
        return [self._panel(panel, self._schemes, point, title, names) for point, title in zip(points, titles, strict=True)]

    def _panel(
        self, panel: PanelDefinition, schemes: Sequence[str], point: Mapping[str, Scalar], title: str, names: Mapping[str, str]
    ) -> Panel:
        where = {**panel.where, **point}
        by_scheme = panel.per != SCHEME
        lines: list[Line] = []
        boxes: list[Box] = []
        for scheme in schemes:
            name = names.get(scheme, scheme)
            if panel.boxes:
                boxes += self._boxes(panel, scheme, where, name)
            elif panel.series:
                record = self._results.typical(panel.typical, scheme, where)
                lines += _curves(panel, record, name if by_scheme else "") if record else []
            else:
                lines += self._over_grid(panel, scheme, where, name, several=len(schemes) > 1)
        records = self._results.select(where=where)
        variables = {**(records[0].parameters if records else {}), **where}
        return Panel(
            ", ".join(text for text in ((title, panel.title) if panel.per == SCHEME else (panel.title, title)) if text),
            panel.x_label if panel.x or panel.series else "",
            panel.y_label,
            lines,
            limit_at(panel.level, variables) if panel.level is not None and records else None,
            logarithmic_x=panel.logarithmic_x,
            points=not panel.series,
            ticks=sorted({x for line in lines for x in line.x}) if panel.logarithmic_x and not panel.series else (),
            from_zero=panel.from_zero,
            boxes=boxes,
        )

    def _over_grid(self, panel: PanelDefinition, scheme: str, where: Mapping[str, Scalar], name: str, *, several: bool) -> list[Line]:
        """A curve for each value. Its label is the scheme if there is one value, the value if there is one scheme, else both."""
        assert panel.x is not None
        records = self._results.select(scheme, where)
        shown = _values_shown(panel, list(dict.fromkeys(value for record in records for value in record.values)))
        lines = []
        for value, text in shown.items():
            found = [
                (float(point[panel.x]) * panel.x_scale, spread)
                for point in self._results.points([panel.x], where)
                if panel.x in point and (spread := self._results.spread(value, scheme, {**where, **point}))
            ]
            found.sort(key=lambda pair: pair[0])
            label_of = name if len(shown) == 1 and len(panel.values) == 1 else f"{name}: {text}" if several else text
            parts = ([getattr(p[1], part) for p in found] for part in ("mean", "low", "high"))
            lines.append(Line(label_of, [pair[0] for pair in found], *parts))
        return lines

    def _boxes(self, panel: PanelDefinition, scheme: str, where: Mapping[str, Scalar], name: str) -> list[Box]:
        boxes = []
        for point in self._results.points([panel.x] if panel.x else [], where):
            parts = [found.mean for value in panel.boxes if (found := self._results.spread(value, scheme, {**where, **point}))]
            if len(parts) == len(panel.boxes):
                boxes.append(Box(name, ", ".join(label(key, value, panel.labels) for key, value in point.items()), *parts))
        return boxes


def _curves(panel: PanelDefinition, record: CellRecord, scheme_name: str) -> list[Line]:
    """A curve for each series. Its label is the series, with the name of the scheme, if any, before it; the scheme alone for one series."""
    found = [
        name for name in record.series if any(fnmatchcase(name, pattern) for pattern in panel.series) and f"{name}{TIME}" in record.series
    ]
    texts = _told_apart(found)
    labels = {name: (f"{scheme_name}: {texts[name]}" if len(found) > 1 else scheme_name) if scheme_name else texts[name] for name in found}
    return [Line(labels[name], record.series[f"{name}{TIME}"], record.series[name]) for name in found]


def _values_shown(panel: PanelDefinition, known: Sequence[str]) -> dict[str, str]:
    """The values of a panel, and the label of each; ``*`` stands for any transmission."""
    found = {
        name: one.label.replace("*", name.partition(".")[2]) if one.label else ""
        for one in panel.values
        for name in ([name for name in known if fnmatchcase(name, one.value)] if "*" in one.value else [one.value])
    }
    texts = _told_apart(list(found))
    return {name: text or texts[name] for name, text in found.items()}


def _told_apart(names: Sequence[str]) -> dict[str, str]:
    """The label of each ``WHAT.TRANSMISSION``: the transmission, or ``WHAT`` without one; both if some labels would be alike."""
    short = {name: name.partition(".")[2] or _in_words(name) for name in names}
    if len(set(short.values())) == len(names):
        return short
    return {name: f"{_in_words(name.partition('.')[0])} {name.partition('.')[2]}".strip() for name in names}


def _in_words(what: str) -> str:
    return WORDS.get(what, what.replace("_", " "))
