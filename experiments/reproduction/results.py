"""Results of one experiment, put together over repetitions: medians, spread, and who has not got any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from experiments.reproduction.cell import CellRecord, Scalar

MISSING = "—"


@dataclass(frozen=True)
class Spread:
    """A value over repetitions."""

    median: float
    lowest: float
    highest: float
    count: int

    def text(self, form: str = "{:.1f}") -> str:
        """``40.3``, or ``40.3 [40.1…40.6]`` where the repetitions differ as shown."""
        middle, low, high = (form.format(value) for value in (self.median, self.lowest, self.highest))
        return middle if low == high else f"{middle} [{low}…{high}]"


def spread(values: Iterable[float | None]) -> Spread | None:
    """Median and extremes; None without any value."""
    known = [value for value in values if value is not None]
    return Spread(median(known), min(known), max(known), len(known)) if known else None


class Results:
    """The records of one experiment."""

    def __init__(self, records: Iterable[CellRecord]) -> None:
        self.records = list(records)

    def select(self, scheme: str | None = None, **parameters: Scalar) -> list[CellRecord]:
        """The measured cells of a scheme at a point of the grid (or at all points that have these parameters)."""
        return [
            record
            for record in self.records
            if record.is_result
            and (scheme is None or record.scheme == scheme)
            and all(record.parameters.get(name) == value for name, value in parameters.items())
        ]

    def spread(self, value: str, scheme: str, **parameters: Scalar) -> Spread | None:
        """A value over the repetitions; None where nothing was measured, or none of them has it."""
        return spread(record.values.get(value) for record in self.select(scheme, **parameters))

    def text(self, value: str, scheme: str, form: str = "{:.1f}", **parameters: Scalar) -> str:
        """A value as text for a table: median and spread, or a dash."""
        found = self.spread(value, scheme, **parameters)
        return found.text(form) if found else MISSING

    def typical(self, value: str, scheme: str, **parameters: Scalar) -> CellRecord | None:
        """The record whose value is nearest the median: the one to draw."""
        records = self.select(scheme, **parameters)
        found = spread(record.values.get(value) for record in records)
        if found is None:
            return records[0] if records else None
        having = [record for record in records if record.values.get(value) is not None]
        return min(having, key=lambda record: abs((record.values[value] or 0.0) - found.median))

    def schemes(self) -> list[str]:
        """Schemes in the order they were first measured."""
        return list(dict.fromkeys(record.scheme for record in self.records))

    def points(self, parameter: str) -> list[Scalar]:
        """The values of a parameter that were measured, in order of first appearance."""
        return list(dict.fromkeys(record.parameters[parameter] for record in self.records if parameter in record.parameters))
