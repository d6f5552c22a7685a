"""A scenario carried out from Python: ``testbed.run``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from common.errors import UserError
from engine.collect.store import ResultStore
from scenario.run_request import RUN, RunRequest
from testbed.prepared_run import carry_out, prepare
from testbed.result import Result
from testbed.scenario_argument import ScenarioArgument


def run(scenario: ScenarioArgument = "staggered", *, folder: str | Path | None = None, progress: bool = False, **wishes: Any) -> Result:
    """Carry out a scenario with each of its schemes, and wait for it.

    Args:
        scenario: the name of a file in ``scenario/examples``, a path, the keys of such a file as a dictionary (with ``base`` for a file
            that they change), or a ``scenario.scenario.Scenario``.
        folder: for the results, made if necessary; None: a new one in ``results``.
        progress: show on standard error how far it is.
        wishes: the options of ``testbed run`` by their names: ``schemes=["reno", "cubic"]``, ``seed=2``, ``quick=True``,
            ``time="real"``, ``kernels="6.12,7.3"`` (``testbed run --help`` lists them).

    Returns:
        The measurements.

    Raises:
        TestbedError: the scenario says something impossible, something that is needed is missing, or a scheme has no result.
    """
    request = RunRequest.from_python(RUN, wishes)
    prepared = prepare(request, scenario, console=Console(stderr=True) if progress else None)
    where = carry_out(prepared, None if folder is None else Path(folder)).folder
    experiment, store = prepared.experiment, ResultStore(where)
    missing = [
        f"{cell}: {record.failure if record else 'there is no result'}"
        for cell in experiment.cells()
        if (record := store.load(cell)) is None or not record.is_result
    ]
    if missing:
        raise UserError("\n".join(missing), f"logs are in {where}")
    return Result(experiment, prepared.options, where)
