"""A student's experiment: a scenario file with a grid, figures and claims, read, judged on made-up results, and measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from common.errors import UserError
from engine.collect.record import CellRecord
from engine.collect.store import ResultStore
from engine.execute.runner import Batch
from engine.plan.experiment import Effort
from engine.plan.options import RunOptions
from labs.check.runs import measured_records, testbed_digest
from labs.check.vocabulary import Failed
from reports.claims.judgement import Judgement, judge
from reports.experiment import ReportedExperiment
from reports.results import Results
from scenario.file import Point
from scenario.run_request import Size

Goodput = Callable[[str, Point], float]
"""Mbit/s of a scheme at a point of the grid."""


@dataclass(frozen=True)
class OwnExperiment:
    """The student's file.

    Args:
        file: a scenario file with the report's keys.
        options: how it is measured; called when it is.
        work: folder for results.
    """

    file: Path
    options: Callable[[], RunOptions]
    work: Path

    def read(self, size: Size = Size.NORMAL) -> ReportedExperiment:
        """The experiment in one of its sizes.

        Raises:
            Failed: it says something impossible.
        """
        try:
            return ReportedExperiment.read(self.file, Effort(size=size))
        except UserError as error:
            lines = str(error).replace(f"{self.file.parent}/", "").splitlines()
            said = f" at the size {size.value}" if size is not Size.NORMAL else ""
            raise Failed(f"it cannot be read{said}: {lines[0]}", lines[1:]) from None

    def judged_on(self, experiment: ReportedExperiment, goodput: Goodput) -> list[Judgement]:
        """The judgements of its claims on results that somebody has made up: all values of a cell are its goodput."""
        names = {value for claim in experiment.definition.claims for value in claim.values.values()}
        cells = [cell for cell in experiment.cells() if cell.repetition == 1]
        records = [CellRecord.of(cell, values=dict.fromkeys(names, goodput(cell.scheme, cell.parameters))) for cell in cells]
        return _judged(experiment, records)

    def measured(self, experiment: ReportedExperiment) -> list[Judgement]:
        """The judgements of its claims on measured results.

        Raises:
            Failed: a cell has no result.
        """
        options = self.options()
        store = ResultStore(self.work / f"testbed-{testbed_digest(options)}")
        (records,) = measured_records([Batch(store, [experiment])], options)
        return _judged(experiment, records)


def _judged(experiment: ReportedExperiment, records: list[CellRecord]) -> list[Judgement]:
    definition = experiment.definition
    return [judge(claim, Results(records), experiment.schemes, definition.labels, {}) for claim in definition.claims]


def interpolated(points: Mapping[float, float], at: float) -> float:
    """A value between those that are known, linear over the logarithm; the first and the last one outside."""
    known = sorted(points)
    if at <= known[0]:
        return points[known[0]]
    for low, high in pairwise(known):
        if at <= high:
            part = (math.log(at) - math.log(low)) / (math.log(high) - math.log(low))
            return points[low] + part * (points[high] - points[low])
    return points[known[-1]]
