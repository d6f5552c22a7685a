"""Measurements of a run, besides those that every run has: the part of a report's definition that needs the samples."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator

from engine.metrics.registry import check_parameters
from scenario.base import Strict

Metrics = dict[str, dict[str, Any]]
"""Names, each with the metric that gives its value and that metric's parameters."""


class Measurements(Strict):
    """Metrics and series of one scenario file. Captions, claims and figures, which only show them, are no part of it."""

    metrics: Metrics = Field(default={})
    series: list[str] = Field(default=[])
    """Names of ``engine.metrics.series``, with ``*`` for any transmission."""
    curves: list[str] = Field(default=[], exclude_if=lambda names: not names)
    """The same, of the first repetition alone and in ``CURVE_POINTS`` means: for pages that show many runs."""

    @field_validator("metrics")
    @classmethod
    def _exist(cls, metrics: Metrics) -> Metrics:
        return checked(metrics)


def checked(metrics: Metrics) -> Metrics:
    """The same metrics.

    Raises:
        ValueError: a metric is missing or unknown, or one of its parameters is.
    """
    for name, wanted in metrics.items():
        try:
            if "metric" not in wanted:
                raise ValueError("the key `metric` is missing")
            check_parameters(str(wanted["metric"]), wanted.keys() - {"metric"})
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return metrics
