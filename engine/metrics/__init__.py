"""Metrics of a run, by name: ``[metrics]`` of a scenario file says which, and a small module for each family computes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.metrics.registry import Scalar, metric_named
from engine.metrics.series import wanted_curves, wanted_series
from scenario.expressions import resolved

if TYPE_CHECKING:
    from engine.collect.run_data import RunData
    from engine.metrics.measurements import Measurements


def measure(
    run: RunData, measurements: Measurements, point: Mapping[str, Scalar], *, is_first: bool = True
) -> tuple[dict[str, float | None], dict[str, list[float]]]:
    """The values of ``[metrics]``, and the series that the figures draw.

    Args:
        run: the run's data.
        measurements: those that the scenario file asks for.
        point: of the grid; expressions among the metrics' parameters are computed from it.
        is_first: of the repetitions, so that its curves are kept.

    Raises:
        scenario.expressions.ExpressionError: an expression cannot be computed.
    """
    values = {}
    for name, wanted in measurements.metrics.items():
        parameters = dict(resolved(wanted, point))
        values[name] = metric_named(parameters.pop("metric"))(run, point, **parameters)
    return values, wanted_series(run, measurements.series) | (wanted_curves(run, measurements.curves) if is_first else {})
