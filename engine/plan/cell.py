"""A cell: one scheme at one point of an experiment's grid, measured once with one seed."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenario.file import Point, Scalar
from scenario.scenario import Scenario


@dataclass(frozen=True)
class Cell:
    """One measurement.

    Args:
        experiment: name of the experiment's file, e.g. ``table4``.
        scheme: congestion control of all transmissions that have none of their own.
        repetition: 1, 2, …; the scenario's seed grows with it.
        parameters: the point of the grid; names with units, e.g. ``{"delay_ms": 30, "queue_packets": 100}``.
        scenario: the one at that point, with this repetition's seed.
        drawn: everything that another seed changes, in words (engine/plan/random_draws.py); empty: nothing, so there are no repetitions.
    """

    experiment: str
    scheme: str
    repetition: int
    parameters: Point
    scenario: Scenario = field(compare=False, repr=False)
    drawn: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def point(self) -> str:
        """The point of the grid as text, the same for all schemes and repetitions: ``delay_ms=30,queue_packets=100``."""
        return point_text(self.parameters)

    @property
    def key(self) -> str:
        """Names the cell for good; also the name of its file, without suffix."""
        return cell_key(self.experiment, self.parameters, self.scheme, self.repetition)

    def __str__(self) -> str:
        return " ".join(
            part for part in (self.experiment, self.point if self.parameters else "", self.scheme, f"#{self.repetition}") if part
        )


def logs_name(key: str) -> str:
    """The folder of a cell's logs among those of a run in virtual time.

    Args:
        key: of the cell.
    """
    return key.replace("/", "_")


def cell_key(experiment: str, parameters: Point, scheme: str, repetition: int) -> str:
    """A cell's name in files and records, ``EXPERIMENT/POINT/SCHEME-REPETITION``; a slash within a part becomes ``_``."""
    return f"{experiment}/{point_text(parameters)}/{scheme.replace('/', '_')}-{repetition}"


def point_text(parameters: Point) -> str:
    """A point of the grid as text, ``delay_ms=5,queue=100``; ``all`` where the grid has no variables."""
    return ",".join(f"{name}={_shown(value)}" for name, value in parameters.items()).replace("/", "_") or "all"


def _shown(value: Scalar) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
