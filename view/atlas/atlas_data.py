"""The atlas's values as its page and its CSV file take them: of each cell the means with their intervals, and the runs behind them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.collect.record import SAMPLES, CellRecord
from engine.metrics.series import CURVES
from reports.claims.intervals import CONFIDENCE
from reports.definition import ShownValue
from reports.document.labels import label
from reports.experiment import ReportedExperiment
from reports.pictures.palette import palette
from reports.results import Results, spread
from scenario.file import Scalar

RIVAL = "rival"
"""The grid's variable that names the scheme of the other connections."""
SIGNED = "asymmetry"
"""The metric whose sign says which side has more."""
CSV_COLUMNS = ("experiment", "scheme", RIVAL, "variables", "value", "mean", "low", "high", "runs")


@dataclass(frozen=True)
class _Group:
    """The runs of one scheme at one point."""

    scheme: str
    parameters: Mapping[str, Scalar]
    records: Sequence[CellRecord]

    @property
    def name(self) -> str:
        """The cell's name without its repetition."""
        return self.records[0].key.rpartition("-")[0]

    def values(self, shown: Iterable[ShownValue]) -> dict[str, list[float]]:
        """Mean, ends of the interval and count of each value that there is; of one run, the ends are left out."""
        found = {}
        for one in shown:
            known = spread((record.values.get(one.value) for record in self.records), is_drawn=any(record.drawn for record in self.records))
            if known is not None:
                ends = [] if known.half_width is None else [known.low, known.high]
                found[one.value] = [_short(number) for number in (known.mean, *ends)] + [known.count]
        return found

    @property
    def curves(self) -> dict[str, list[float]]:
        """Over time, of the first run: ``time_s``, and each series by its name."""
        found = self.records[0].series
        return {name.removeprefix(f"{CURVES}."): values for name, values in found.items() if name.startswith(f"{CURVES}.")}


def atlas_data(experiments: Sequence[ReportedExperiment], results: Mapping[str, Results], command: str) -> dict[str, Any]:
    """All that the page shows.

    Args:
        experiments: in the order of the page; each has a table, whose values are shown.
        results: of each, by its name.
        command: that measures them all.
    """
    shown = [one for one in experiments if one.definition.tables and results[one.name].records]
    return {
        "palette": palette(),
        "command": command,
        "level_percent": 100 * CONFIDENCE,
        "schemes": list(dict.fromkeys(scheme for one in shown for scheme in [*one.schemes, *_rivals(one)])),
        "experiments": {one.name: _described(one) for one in shown},
        "cells": [cell for one in shown for cell in _cells(one, results[one.name])],
    }


def atlas_csv(experiments: Sequence[ReportedExperiment], results: Mapping[str, Results]) -> str:
    """The same values as CSV: a row for each value of each cell; ``low`` and ``high`` are the ends of the 95 % interval."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for one in experiments:
        values = _values(one)
        for group in _groups(results[one.name]):
            variables = ";".join(f"{name}={value}" for name, value in group.parameters.items() if name != RIVAL)
            for value, (mean, *ends, count) in group.values(values).items():
                low, high = ends or ("", "")
                writer.writerow([one.name, group.scheme, group.parameters.get(RIVAL, ""), variables, value, mean, low, high, count])
    return text.getvalue()


def _values(one: ReportedExperiment) -> list[ShownValue]:
    """Those of the tables, then the other metrics."""
    found = {value.value: value for table in one.definition.tables for value in table.values}
    others = {name: ShownValue(value=name, label=name.replace("_", " ")) for name in one.definition.metrics}
    return list((found | {name: value for name, value in others.items() if name not in found}).values())


def _described(one: ReportedExperiment) -> dict[str, Any]:
    definition = one.definition
    signed = {name for name, wanted in definition.metrics.items() if wanted["metric"] == SIGNED}
    variables = list(dict.fromkeys(name for point, _ in one.scenarios for name in point if name != RIVAL))
    return {
        "title": one.title,
        "notes": definition.notes.above.strip(),
        "values": [
            {
                "name": value.value,
                "label": value.label or value.value.replace("_", " "),
                "form": value.form or ".2f",
                "is_signed": value.value in signed,
            }
            for value in _values(one)
        ],
        "variables": {
            name: {str(point[name]): label(name, point[name], definition.labels) for point, _ in one.scenarios if name in point}
            for name in variables
        },
    }


def _groups(results: Results) -> Iterator[_Group]:
    found: dict[tuple[str, tuple[tuple[str, Scalar], ...]], list[CellRecord]] = {}
    for record in results.records:
        if record.is_result:
            found.setdefault((record.scheme, tuple(record.parameters.items())), []).append(record)
    for (scheme, parameters), records in found.items():
        yield _Group(scheme, dict(parameters), sorted(records, key=lambda record: record.repetition))


def _rivals(one: ReportedExperiment) -> list[str]:
    return list(dict.fromkeys(str(point[RIVAL]) for point, _ in one.scenarios if RIVAL in point))


def _cells(one: ReportedExperiment, results: Results) -> Iterator[dict[str, Any]]:
    values, runs = _values(one), {frozenset(point.items()): scenario.run for point, scenario in one.scenarios}
    for group in _groups(results):
        run = runs[frozenset(group.parameters.items())]
        yield {
            "experiment": one.name,
            "name": group.name,
            "scheme": group.scheme,
            "rival": group.parameters.get(RIVAL),
            "point": {name: str(value) for name, value in group.parameters.items() if name != RIVAL},
            "values": group.values(values),
            "runs": [[record.repetition, record.seed, record.facts.get(SAMPLES, "")] for record in group.records],
            "curves": group.curves,
            "window_s": [run.measure_from_s, run.duration_s],
        }


def _short(number: float) -> float:
    return float(f"{number:.5g}")
