"""A cell: one scheme at one point of an experiment's grid, measured once. And what came out, as it is kept in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from experiments.fidelity import FidelityVerdict

Scalar = str | int | float | bool


@dataclass(frozen=True)
class Cell:
    """What is measured once.

    Args:
        experiment: name of the experiment, e.g. ``table4``.
        scheme: congestion control.
        repetition: 1, 2, …
        parameters: the point of the grid; names with units, e.g. ``{"delay_ms": 30, "queue_packets": 100}``.
    """

    experiment: str
    scheme: str
    repetition: int
    parameters: Mapping[str, Scalar] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.parameters[name]

    @property
    def point(self) -> str:
        """The point of the grid as text, the same for all schemes and repetitions: ``delay_ms=30,queue_packets=100``."""
        return ",".join(f"{name}={_shown(value)}" for name, value in self.parameters.items()) or "all"

    @property
    def key(self) -> str:
        """Names the cell for good; also the name of its file, without suffix."""
        return f"{self.experiment}/{self.point}/{self.scheme}-{self.repetition}"

    def __str__(self) -> str:
        return f"{self.experiment} {self.point} {self.scheme} #{self.repetition}"


@dataclass
class Measurement:
    """What measuring a cell once gives.

    Args:
        verdict: whether the emulator kept its model; a rejected measurement is repeated.
        values: the results, names with units. None: there is no such result (a transfer that never got that far).
        series: curves for figures, thinned out; all of one figure are to have the same length as their time axis.
        facts: things to tell that are no numbers, e.g. which implementation of a scheme ran.
    """

    verdict: FidelityVerdict
    values: dict[str, float | None]
    series: dict[str, list[float]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)


class Verdict(BaseModel):
    """A fidelity verdict in a file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    accepted: bool
    late_share: float
    worst_link: str
    p99_us: float
    max_us: float
    packets: int
    steal_share: float = 0.0


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
    series: dict[str, list[float]] = Field(default_factory=dict)
    facts: dict[str, str] = Field(default_factory=dict)
    verdict: Verdict | None = None
    rejected: list[Verdict] = Field(default_factory=list)
    failure: str | None = None
    commit: str = ""
    kernel: str = ""
    started: str = ""
    took_s: float = 0.0

    @classmethod
    def of(cls, cell: Cell, **fields: Any) -> CellRecord:
        """The record of a cell; ``fields`` are the others of this class."""
        return cls(experiment=cell.experiment, scheme=cell.scheme, repetition=cell.repetition, parameters=dict(cell.parameters), **fields)

    @property
    def cell(self) -> Cell:
        """The cell this is the result of."""
        return Cell(self.experiment, self.scheme, self.repetition, self.parameters)

    @property
    def is_result(self) -> bool:
        """Whether it was measured, and the measurement counts."""
        return self.failure is None


def _shown(value: Scalar) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
