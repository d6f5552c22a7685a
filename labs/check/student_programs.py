"""A student's programs that run in the place of the testbed's: a scenario's `p4` and `controller`, as anybody gives them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.plan.experiment import Effort
from reports.experiment import ReportedExperiment
from scenario.data_plane import Contract
from scenario.file import merged, read_scenario_file

P4_FILES, PYTHON_FILES = "*.p4", "*.py"


@dataclass(frozen=True)
class StudentPrograms:
    """A student's programs; each is None where a lab has none.

    Args:
        p4: the data plane of all switches.
        controller: a program that takes the options of the testbed's controller.
    """

    p4: Path | None = None
    controller: Path | None = None

    @property
    def files(self) -> list[Path]:
        """All files that they may consist of."""
        listed = ((self.p4, P4_FILES), (self.controller, PYTHON_FILES))
        return [file for program, files in listed if program is not None for file in sorted(program.parent.rglob(files))]

    def experiment(self, scenario: Path) -> ReportedExperiment:
        """A scenario's file with these programs in it.

        Raises:
            UserError: the file says something impossible.
        """
        keys: dict[str, Any] = {} if self.p4 is None else {"p4": str(self.p4)}
        if self.controller is not None:
            keys["controller"] = {"program": str(self.controller), "contract": str(Contract.TESTBED)}
        file = read_scenario_file(scenario)
        return ReportedExperiment.of(replace(file, content=merged(file.content, keys)), Effort())
