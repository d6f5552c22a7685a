"""The tables of a run on several kernels: one for each scheme and point of the grid."""

from __future__ import annotations

from engine.plan.experiment import KERNEL
from reports.document.blocks import Table
from reports.experiment import ReportedExperiment
from reports.kernel_differences import OnKernel, Row, side_by_side
from reports.results import Results
from reports.summary.table import columns_of
from scenario.file import Point
from scenario.scenario import Scenario


def kernel_tables(experiment: ReportedExperiment, results: Results) -> list[Table]:
    """A table for each scheme at each point of the grid; none unless the grid has several kernels."""
    kernels = list(dict.fromkeys(point[KERNEL] for point, _ in experiment.scenarios if KERNEL in point))
    if len(kernels) < 2:
        return []
    measured = [OnKernel(str(kernel), results, {KERNEL: kernel}) for kernel in kernels]
    at_first = [
        ({name: value for name, value in point.items() if name != KERNEL}, scenario)
        for point, scenario in experiment.scenarios
        if point.get(KERNEL) == kernels[0]
    ]
    return [
        side_by_side(_caption(scheme, point, scenario), [Row(*shown, point) for shown in columns_of(scenario)], scheme, measured)
        for point, scenario in at_first
        for scheme in scenario.run.schemes
    ]


def _caption(scheme: str, point: Point, scenario: Scenario) -> str:
    where = f" at {', '.join(f'{name} = {value}' for name, value in point.items())}" if point else ""
    run = scenario.run
    return f"{scheme}{where}, from {run.measure_from_s:g} to {run.measured_to_s:g} s"
