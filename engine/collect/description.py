"""``run.json``: the content of a run's folder. It is written before anything is measured, so that a run can be watched while it grows."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, ValidationError, model_validator

from common.errors import UserError
from common.whole_files import write_whole
from common.write_errors import cannot_write
from engine.collect.samples import NANOSECONDS
from engine.plan.cell import logs_name
from engine.plan.experiment import Experiment
from engine.plan.network_key import key_of
from engine.plan.options import RunOptions
from hosts.plan import Plan
from scenario.base import Strict
from scenario.file import Scalar, readable
from scenario.scenario import Scenario
from virtual_time.boot import START_NS

FILE = "run.json"
FORMAT = 1
PROMPT_KEY = "prompt"
"""Of the one cell of a network with a prompt."""

PROMPT_BEGAN = "prompt-began.json"
"""In virtual time: CLOCK_MONOTONIC of the moment from which the prompt counts, seconds."""

MOST_WALL_CLOCK_S = 1e11
"""The limit of dates, in seconds since 1970: some thousand years."""


def _below(path: str) -> str:
    if Path(path).is_absolute() or ".." in Path(path).parts:
        raise ValueError(f"{path} is not in the run's folder")
    return path


Below = Annotated[str, AfterValidator(_below)]
"""A path below the run's folder."""


class CellDescription(Strict):
    """One cell: a scheme at a point of the grid, measured once."""

    key: Below
    scheme: str
    repetition: int
    parameters: dict[str, Scalar]
    scenario: int = Field(ge=0)
    """Its number among the run's scenarios."""
    logs: Below
    """Folder with the logs of its network, below the run's."""

    @property
    def samples(self) -> str:
        """How the folders with its samples are called, one an attempt, below the run's."""
        return f"scratch/{self.key.replace('/', '_')}-attempt*"

    def latest_samples(self, folder: Path) -> Path | None:
        """The folder with the samples of the latest attempt, below the run's ``folder``; None: it has not begun."""
        return max(folder.glob(self.samples), key=lambda one: (len(one.name), one.name), default=None)


def start_of(samples: Path, starts_s: Mapping[str, float]) -> float | None:
    """The start of an attempt, CLOCK_MONOTONIC seconds, from the plans that its hosts were given; None: there are none yet.

    Args:
        samples: the attempt's folder.
        starts_s: starts of transmissions by name, in seconds after that start.
    """
    for file in sorted(samples.glob("plan-*.json")):
        try:
            written = file.stat()
            plan = _plan(file, written.st_mtime_ns, written.st_size)
        except (OSError, ValidationError):
            continue  # it is being written
        for one in plan.transmissions:
            if one.start_at is not None and one.name in starts_s:
                return one.start_at - starts_s[one.name]
    return None


@lru_cache(maxsize=64)
def _plan(file: Path, _changed_ns: int, _size_bytes: int) -> Plan:
    """Read once for as long as the file stays as it is: a page looks several times a second."""
    return Plan.model_validate_json(file.read_bytes())


class RunDescription(Strict):
    """A run.

    Args:
        format: of this file and of the folder.
        virtual: whether it is in virtual time.
        prompt: it is a network with a prompt: nothing is planned.
        wall_clock_s: the wall clock's time when CLOCK_MONOTONIC was 0, on the clocks that the testbed's parts read.
        trace: which packets are traced.
    """

    format: int
    name: str
    title: str
    started: str
    virtual: bool
    prompt: bool = False
    wall_clock_s: float = Field(ge=0, lt=MOST_WALL_CLOCK_S)
    trace: str = ""
    scenarios: list[Scenario]
    cells: list[CellDescription] = Field(min_length=1)

    @model_validator(mode="after")
    def _cells_have_scenarios(self) -> Self:
        for one in self.cells:
            if one.scenario >= len(self.scenarios):
                raise ValueError(f"{one.key}: there is no scenario {one.scenario}")
        return self

    @classmethod
    def of(cls, experiments: Sequence[Experiment], options: RunOptions) -> RunDescription:
        """Of a run that is about to begin.

        Args:
            experiments: those that it measures, at least one.
            options: the run's; switch, time and programs are noted.
        """
        cells = [cell for experiment in experiments for cell in experiment.cells()]
        scenarios: list[Scenario] = []
        described = []
        for cell in cells:
            # All schemes of a point share one scenario, unless they name variants of Nodectl.
            if not scenarios or scenarios[-1] != cell.scenario:
                scenarios.append(cell.scenario)
            logs = logs_name(cell.key) if options.virtual else key_of(cell, options)
            described.append(
                CellDescription(
                    key=cell.key,
                    scheme=cell.scheme,
                    repetition=cell.repetition,
                    parameters=dict(cell.parameters),
                    scenario=len(scenarios) - 1,
                    logs=f"logs/{logs}",
                )
            )
        return cls(
            format=FORMAT,
            name=experiments[0].name,
            title=experiments[0].title,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            virtual=options.virtual,
            wall_clock_s=_wall_clock_s(virtual=options.virtual),
            trace=options.request.trace,
            scenarios=scenarios,
            cells=described,
        )

    @classmethod
    def of_prompt(cls, name: str, scenario: Scenario, *, virtual: bool) -> RunDescription:
        """Of a network that is about to be brought up with a prompt, in virtual time or on this machine's kernel."""
        cell = CellDescription(key=PROMPT_KEY, scheme="", repetition=1, parameters={}, scenario=0, logs=".")
        return cls(
            format=FORMAT,
            name=name,
            title=scenario.title,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            virtual=virtual,
            prompt=True,
            wall_clock_s=_wall_clock_s(virtual=virtual),
            scenarios=[scenario],
            cells=[cell],
        )

    def write(self, folder: Path) -> None:
        """Write it into the run's folder.

        Raises:
            UserError: it cannot be written.
        """
        try:
            write_whole(folder / FILE, self.model_dump_json(indent=1) + "\n")
        except OSError as error:
            raise cannot_write(error) from None

    @classmethod
    def read(cls, folder: Path) -> RunDescription:
        """Read that of a run's folder.

        Raises:
            UserError: it is no run's folder, or a damaged one, or one of another version of the testbed.
        """
        file = folder / FILE
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            raise _no_run(folder) from None
        except OSError as error:
            raise UserError(f"cannot read {file}: {error.strerror}") from None
        try:
            found = cls.model_validate_json(content)
        except ValidationError as error:
            raise _unreadable(file, error, content) from None
        if found.format != FORMAT:
            raise _other_format(file, found.format)
        return found


def _wall_clock_s(*, virtual: bool) -> float:
    return START_NS * NANOSECONDS if virtual else time.time() - time.monotonic()


def _no_run(folder: Path) -> UserError:
    if not folder.is_dir():
        return UserError(f"there is no folder {folder}", "results/latest is the newest run")
    if (folder / "cells").is_dir():
        return UserError(f"{folder} is of an older version of the testbed: it has no {FILE}", "measure it again with `make run`")
    return UserError(f"{folder} is no run's folder: it has no {FILE}", "results/latest is the newest run")


def _other_format(file: Path, found: object) -> UserError:
    return UserError(
        f"{file} has format {found!r}, and this version of the testbed reads format {FORMAT}", "measure it again with `make run`"
    )


def _unreadable(file: Path, error: ValidationError, content: bytes) -> UserError:
    try:
        found: Mapping[str, object] = json.loads(content)
        found_format = found.get("format")
    except (ValueError, AttributeError):
        return UserError(f"{file} is damaged: it is no complete JSON", "measure the run again with `make run`")
    if found_format != FORMAT:
        return _other_format(file, found_format)
    return UserError(
        f"{file} is damaged: {readable(file, error, RunDescription)[0].partition(': ')[2]}", "measure the run again with `make run`"
    )
