"""The record of a cell, as a file keeps it: one format for all runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from engine.collect.fidelity import FidelityVerdict
from engine.plan.cell import Cell, cell_key
from scenario.file import Scalar

LEFT_OUT = "left out: "
"""Beginning of the failure of a cell whose scheme this machine cannot have."""


INPUTS, SAMPLES = "inputs", "samples"
"""Facts of a run in virtual time: checksums of everything that its digits depend on, and of its samples."""


class Cost(BaseModel):
    """Processor time of a run in virtual time, and the machine outside. No result depends on them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    processor_s: float
    machine: str


class ProgramEnd(BaseModel):
    """How an ordinary program of a run ended.

    Attributes:
        host: where it ran.
        how: its exit code, in words.
        has_failed: it makes the run fail.
        took_s: from its start to its end; None: it had not ended when the run did.
        said: the last lines that it printed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str
    how: str
    has_failed: bool
    took_s: float | None
    said: str


class CellRecord(BaseModel):
    """A measured cell in a file.

    Without an accepted measurement ``values`` is empty and ``failure`` says why; such a cell is tried again when the run is
    resumed. ``rejected`` are the verdicts of the attempts that do not count.
    """

    model_config = ConfigDict(extra="forbid")

    experiment: str
    scheme: str
    repetition: int
    parameters: dict[str, Scalar]
    values: dict[str, float | None] = Field(default_factory=dict)
    """Results, names with units; of one transmission ``NAME_UNIT.TRANSMISSION``."""
    series: dict[str, list[float]] = Field(default_factory=dict)
    """Curves for pictures, thinned out."""
    facts: dict[str, str] = Field(default_factory=dict)
    """Facts that are not numbers, by name."""
    drawn: list[str] = Field(default_factory=list)
    """Everything that another seed would have changed, in words; empty: nothing."""
    programs: dict[str, ProgramEnd] = Field(default_factory=dict, exclude_if=lambda ended: not ended)
    """Of a scenario with programs, by name: those that ended and those that had not; servers, if they ended before the run."""
    verdict: FidelityVerdict | None = None
    rejected: list[FidelityVerdict] = Field(default_factory=list)
    failure: str | None = None
    seed: int = 0
    commit: str = ""
    kernel: str = ""
    started: str = ""
    took_s: float = 0.0
    cost: Cost | None = None

    @classmethod
    def of(cls, cell: Cell, **fields: Any) -> CellRecord:
        """The record of a cell; ``fields`` are the others of this class."""
        return cls(
            experiment=cell.experiment,
            scheme=cell.scheme,
            repetition=cell.repetition,
            parameters=dict(cell.parameters),
            seed=cell.scenario.seed,
            drawn=list(cell.drawn),
            **fields,
        )

    @property
    def key(self) -> str:
        """The cell's name, ``EXPERIMENT/POINT/SCHEME-REPETITION``: the same in every run and version."""
        return cell_key(self.experiment, self.parameters, self.scheme, self.repetition)

    @property
    def is_run_of_its_own(self) -> bool:
        """Whether it is no repetition of a run that draws nothing, which would be the same run again."""
        return bool(self.drawn) or self.repetition == 1

    @property
    def is_result(self) -> bool:
        """Whether it was measured, and the measurement counts."""
        return self.failure is None

    @property
    def is_left_out(self) -> bool:
        """Whether this machine cannot have its scheme."""
        return self.failure is not None and self.failure.startswith(LEFT_OUT)

    def __str__(self) -> str:
        return f"{self.experiment} {', '.join(f'{k}={v}' for k, v in self.parameters.items())} {self.scheme} #{self.repetition}"


def inputs_without_cells(records: Iterable[CellRecord]) -> list[str]:
    """The inputs, besides the cells themselves, that the digits of virtual time depend on; one entry if they are the same for all."""
    return list(dict.fromkeys(record.facts[INPUTS].rpartition(", cell")[0] for record in records if INPUTS in record.facts))
