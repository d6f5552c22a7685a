"""Results of one experiment, put together over repetitions: medians, spread, and who has not got any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from experiments.run.record import CellRecord
from scenario.file import Scalar

MISSING = "—"


@dataclass(frozen=True)
class Spread:
    """A value over repetitions."""

    median: float
    lowest: float
    highest: float
    count: int

    def text(self, form: str = ".1f") -> str:
        """``40.3``, or ``40.3 [40.1…40.6]`` where the repetitions differ as shown."""
        middle, low, high = (format(value, form) for value in (self.median, self.lowest, self.highest))
        return middle if low == high else f"{middle} [{low}…{high}]"


def spread(values: Iterable[float | None]) -> Spread | None:
    """Median and extremes; None without any value."""
    known = [value for value in values if value is not None]
    return Spread(median(known), min(known), max(known), len(known)) if known else None


class Results:
    """The records of one experiment."""

    def __init__(self, records: Iterable[CellRecord]) -> None:
        self.records = list(records)

    def select(self, scheme: str | None = None, where: Mapping[str, Scalar] | None = None, *, failed: bool = False) -> list[CellRecord]:
        """The cells of a scheme at a point of the grid, or at all points that have these parameters; those without a result on demand."""
        return [
            record
            for record in self.records
            if (failed or record.is_result)
            and (scheme is None or record.scheme == scheme)
            and all(name in record.parameters and record.parameters[name] == value for name, value in (where or {}).items())
        ]

    def spread(self, value: str, scheme: str, where: Mapping[str, Scalar] | None = None) -> Spread | None:
        """A value over the repetitions; None where nothing was measured, or none of them has it."""
        return spread(record.values.get(value) for record in self.select(scheme, where))

    def median(self, value: str, scheme: str, **where: Any) -> float | None:
        """The median of a value over the repetitions, or None."""
        found = self.spread(value, scheme, where)
        return found.median if found else None

    def text(self, value: str, scheme: str, form: str, where: Mapping[str, Scalar] | None = None) -> str:
        """A value as text for a table: median and spread, or a dash."""
        found = self.spread(value, scheme, where)
        return found.text(form) if found else MISSING

    def typical(self, value: str | None, scheme: str, where: Mapping[str, Scalar] | None = None) -> CellRecord | None:
        """The record whose value is nearest the median: the one to draw. The first one where there is no such value."""
        records = self.select(scheme, where)
        found = spread(record.values.get(value or "") for record in records)
        if found is None:
            return records[0] if records else None
        having = [(abs(known - found.median), record) for record in records if (known := record.values.get(value or "")) is not None]
        return min(having, key=lambda pair: pair[0])[1]

    def schemes(self) -> list[str]:
        """Schemes in the order of the records."""
        return list(dict.fromkeys(record.scheme for record in self.records))

    def points(
        self, variables: Iterable[str] | None, where: Mapping[str, Scalar] | None = None, value: str | None = None
    ) -> list[dict[str, Scalar]]:
        """The combinations of some variables, in order of first appearance, whether or not there is a result.

        Args:
            variables: those that a record does not have are left out of its combination; None: all that are not the same everywhere.
            where: only of records that have these parameters.
            value: if it is a ratio, only of the records that have it.
        """
        records = self.select(where=where, failed=True)
        kind = value if any(record.experiment == value for record in records) else self.records[0].experiment if records else ""
        records = [record for record in records if record.experiment == kind]
        wanted = _varying(records) if variables is None else list(variables)
        found = [{name: record.parameters[name] for name in wanted if name in record.parameters} for record in records]
        return [point for number, point in enumerate(found) if point not in found[:number]]


def _varying(records: Iterable[CellRecord]) -> list[str]:
    values: dict[str, set[Scalar]] = {}
    for record in records:
        for name, value in record.parameters.items():
            if value != record.scheme:  # one that only names the scheme says nothing more
                values.setdefault(name, set()).add(value)
    return [name for name, found in values.items() if len(found) > 1]
