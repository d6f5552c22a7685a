"""Metrics by name: every function marked with ``@metric`` in a module of this package."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module

Scalar = str | int | float | bool
Metric = Callable[..., float | None]
"""``(run, point, *, parameters…)``: the value, or None if the run has none."""

_METRICS: dict[str, Metric] = {}


def metric(function: Metric) -> Metric:
    """Makes a function known under its own name."""
    _METRICS[function.__name__] = function
    return function


@cache
def metrics() -> dict[str, Metric]:
    """All metrics by name, sorted; the first call imports every module of this package."""
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules(import_module(package).__path__):
        import_module(f"{package}.{module.name}")
    return dict(sorted(_METRICS.items()))


def metric_named(name: str) -> Metric:
    """One of them.

    Raises:
        ValueError: there is none of that name.
    """
    if name not in metrics():
        raise ValueError(f"there is no metric {name!r}; there are {', '.join(metrics())}")
    return metrics()[name]


def check_parameters(name: str, given: set[str]) -> None:
    """A metric gets the parameters that it takes.

    Raises:
        ValueError: one is missing, or it has none of that name.
    """
    taken = {one.name: one for one in list(inspect.signature(metric_named(name)).parameters.values())[2:]}
    unknown = sorted(given - taken.keys())
    missing = sorted(key for key, one in taken.items() if one.default is one.empty and key not in given)
    if unknown or missing:
        what = f"unknown parameter {unknown[0]!r}" if unknown else f"the parameter {missing[0]!r} is missing"
        raise ValueError(f"{what}; metric {name!r} takes {', '.join(taken) or 'none'}")
