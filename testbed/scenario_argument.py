"""A scenario as a caller gives it: by name, by path, as the keys of a scenario file, or checked already."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from common.errors import UserError
from engine.plan.experiment import Effort
from reports.experiment import ReportedExperiment
from scenario.file import ScenarioFile, merged, read_scenario_file
from scenario.scenario import Scenario
from testbed.places import scenario_path

ScenarioArgument = str | Path | Mapping[str, Any] | Scenario

NAME = "scenario"
"""The name, in results, of a scenario that has no file."""


def experiment_of(given: ScenarioArgument, effort: Effort) -> ReportedExperiment:
    """The experiment that is to be measured.

    Args:
        given: name of a file in ``scenario/examples``; path of one; its keys as a dictionary, where ``base`` is such a name or path; or
            a :class:`Scenario`.
        effort: how much of it.

    Raises:
        UserError: there is no such file, or it says something impossible.
    """
    if isinstance(given, str | Path):
        return ReportedExperiment.read(scenario_path(str(given)), effort)
    if isinstance(given, Scenario):
        return _experiment(given.model_dump(mode="json", exclude_unset=True), effort)
    if not isinstance(given, Mapping):
        raise UserError(f"a scenario is a name, a path, a dictionary or a Scenario, not {type(given).__name__}")
    changes = {str(key): value for key, value in given.items()}
    if "base" not in changes:
        return _experiment(changes, effort)
    base = read_scenario_file(scenario_path(str(changes.pop("base"))), effort.size)
    if base.grid:
        raise UserError(f"{base.path}: it has a grid; only a scenario of one point can be changed by a dictionary")
    return _experiment(merged(base.content, changes), effort)


def _experiment(content: dict[str, Any], effort: Effort) -> ReportedExperiment:
    file = ScenarioFile(Path(NAME), content, grid=[], report={})
    experiment = ReportedExperiment.of(file, effort)
    _ = experiment.scenarios  # so that impossible values are told now
    return experiment
