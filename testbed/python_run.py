"""A scenario carried out from Python: ``testbed.run``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from rich.console import Console

from common.errors import UserError
from engine.collect.store import ResultStore
from scenario.run_request import EMBEDDED, RunRequest, Size
from testbed.prepared_run import carry_out, prepare
from testbed.result import Result
from testbed.scenario_argument import ScenarioArgument


def run(
    scenario: ScenarioArgument = "staggered",
    *,
    schemes: Sequence[str] | None = None,
    seed: int | None = None,
    repetitions: int | None = None,
    size: Literal["quick", "normal", "full"] = "normal",
    time: Literal["virtual", "real"] | None = None,
    capture: Sequence[str] = (),
    switch: str = EMBEDDED,
    compiler: str = "",
    cluster: str = "",
    folder: str | Path | None = None,
    progress: bool = False,
) -> Result:
    """Carry out a scenario with each of its schemes, and wait for it.

    Args:
        scenario: the name of a file in ``scenario/examples``, a path, the keys of such a file as a dictionary (with ``base`` for a file
            that they change), or a ``scenario.scenario.Scenario``.
        schemes: instead of the scenario's.
        seed: of every random choice, instead of the scenario's.
        repetitions: of every scheme, with the seeds that follow one another; None: as the scenario says.
        size: ``quick`` and ``full`` merge the scenario's table of that name over it.
        time: None: virtual where it can be had, else real (as root).
        capture: ends of links whose frames are recorded (docs/wireshark.md).
        switch: ``embedded``, or ``bmv2`` where it is installed.
        compiler: ``embedded``, or ``p4c`` where it is installed; empty: the one that goes with the switch.
        cluster: address of a Ray cluster, or ``auto``; empty: this machine.
        folder: for the results, made if necessary; None: a new one in ``results``.
        progress: show on standard error how far it is.

    Returns:
        The measurements.

    Raises:
        TestbedError: the scenario says something impossible, something that is needed is missing, or a scheme has no result.
    """
    if size not in tuple(Size):
        raise UserError(f"size={size!r} is not known", f"it is one of {', '.join(Size)}")
    request = RunRequest(
        schemes=",".join(schemes or ()),
        seed=seed,
        repetitions=repetitions or 0,
        quick=size == "quick",
        full=size == "full",
        switch=switch,
        compiler=compiler,
        time=time or "",
        cluster=cluster,
        capture=",".join(capture),
    )
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
