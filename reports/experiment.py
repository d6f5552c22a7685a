"""An experiment whose file also says what its report shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from common.errors import UserError
from engine.plan.experiment import Effort, Experiment
from reports.definition import ReportDefinition, read_definition
from scenario.file import ScenarioFile, read_scenario_file

PAPER = "paper.toml"
"""A file in the same folder is a paper's, so every claim in it has examples."""


@dataclass(frozen=True)
class ReportedExperiment(Experiment):
    """An experiment, and the tables, figures and claims of its report. Its runs measure all that these need."""

    definition: ReportDefinition

    @classmethod
    def read(cls, path: Path, effort: Effort | None = None) -> ReportedExperiment:
        """Read a scenario or experiment file.

        Raises:
            UserError: it says something impossible, at any point of its grid.
        """
        effort = effort or Effort()
        experiment = cls.of(read_scenario_file(path, effort.size), effort)
        if (path.parent / PAPER).exists():
            experiment._check_examples()
        _ = experiment.scenarios
        return experiment

    @classmethod
    def of(cls, file: ScenarioFile, effort: Effort) -> ReportedExperiment:
        """The experiment of a file that has been read.

        Raises:
            UserError: the file has impossible keys for its report.
        """
        definition = read_definition(file)
        return cls(file, effort, definition.measurements, definition)

    def with_definition(self, definition: ReportDefinition) -> ReportedExperiment:
        """The same runs with another report."""
        return replace(self, definition=definition, measurements=definition.measurements)

    def _check_examples(self) -> None:
        for claim in self.definition.claims:
            if not claim.true_for or not claim.false_for:
                raise UserError(
                    f"{self.file.path}: the claim “{claim.text}” has no {'false_for' if claim.true_for else 'true_for'}",
                    "give a made-up point at which its words are true, and one at which they are false (docs/reproduce.md)",
                )
