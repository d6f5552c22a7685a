"""Results of one experiment over its repetitions: means with their intervals, and marks of those without one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from engine.collect.record import CellRecord
from engine.plan.cell import Cell
from reports.claims.intervals import half_width
from scenario.file import Scalar

MISSING = "—"
ONE_RUN, NOTHING_DRAWN = "¹", "ᵈ"
"""Marks of values without an interval."""

MEANING = {ONE_RUN: "one run", NOTHING_DRAWN: "one run, in which the seed draws nothing"}
"""The meaning of the marks, which stands below a table that has them."""

CONSTANT = -1
"""In place of a seed: the value is the same with every one."""

BySeed = Mapping[int, float]
"""Values by seed; a cell that draws nothing has one alone, as ``CONSTANT``."""


@dataclass(frozen=True)
class Spread:
    """A value over repetitions.

    Args:
        values: one a repetition.
        is_drawn: whether another seed would have given others.
    """

    values: tuple[float, ...]
    is_drawn: bool = True

    @property
    def mean(self) -> float:
        """The values' arithmetic mean."""
        return fmean(self.values)

    @property
    def half_width(self) -> float | None:
        """Half the width of the mean's 95 % confidence interval; None of a single value."""
        return half_width(self.values)

    @property
    def lowest(self) -> float:
        """The lowest value."""
        return min(self.values)

    @property
    def highest(self) -> float:
        """The highest value."""
        return max(self.values)

    @property
    def count(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def mark(self) -> str:
        """Why there is no interval; empty if there is one."""
        return "" if self.count > 1 else ONE_RUN if self.is_drawn else NOTHING_DRAWN

    @property
    def low(self) -> float:
        """Where the interval begins; the value itself without one."""
        return self.mean - (self.half_width or 0.0)

    @property
    def high(self) -> float:
        """Where the interval ends; the value itself without one."""
        return self.mean + (self.half_width or 0.0)

    def text(self, form: str = ".1f", *, marks: bool = True) -> str:
        """``40.3 ± 0.2``, or ``40.3¹`` of a single run; without the mark on demand."""
        half = self.half_width
        if half is None:
            return f"{self.mean:{form}}{self.mark if marks else ''}"
        return f"{self.mean:{form}} ± {half:{form}}"


def spread(values: Iterable[float | None], *, is_drawn: bool = True) -> Spread | None:
    """The values that are known; None without any."""
    known = tuple(value for value in values if value is not None)
    return Spread(known, is_drawn) if known else None


def common_seeds(found: Iterable[BySeed]) -> list[int]:
    """The seeds with which all of them have a value; a constant value has every seed."""
    drawn = [values for values in found if CONSTANT not in values]
    return [seed for seed in drawn[0] if all(seed in values for values in drawn)] if drawn else [CONSTANT]


def at_seed(values: BySeed, seed: int) -> float:
    """The value with a seed that is among the common ones."""
    return values[CONSTANT] if CONSTANT in values else values[seed]


def paired(first: BySeed, second: BySeed) -> list[tuple[float, float]]:
    """The values of two schemes with the same seeds."""
    return [(at_seed(first, seed), at_seed(second, seed)) for seed in common_seeds([first, second])]


class Results:
    """The records of one experiment. Repetitions of a cell that draws nothing are left out."""

    def __init__(self, records: Iterable[CellRecord]) -> None:
        self.records = [record for record in records if record.is_run_of_its_own]
        self._of_scheme: dict[str, list[CellRecord]] = {}
        for record in self.records:
            self._of_scheme.setdefault(record.scheme, []).append(record)
        self._selected: dict[tuple[str | None, frozenset[tuple[str, Scalar]], bool], list[CellRecord]] = {}

    @classmethod
    def of_cells(cls, cells: Iterable[Cell], records: Iterable[CellRecord]) -> Results:
        """Kept records, some from before their cells drew anything: each of these is one run of the many that there could have been."""
        drawn = {cell.key: cell.drawn for cell in cells}
        return cls(
            record.model_copy(update={"drawn": list(drawn.get(record.key, record.drawn))}) for record in records if record.is_run_of_its_own
        )

    def select(self, scheme: str | None = None, where: Mapping[str, Scalar] | None = None, *, failed: bool = False) -> list[CellRecord]:
        """The cells of a scheme at a point of the grid, or at all points that have these parameters; those without a result on demand."""
        wanted = frozenset((where or {}).items())
        key = (scheme, wanted, failed)
        if key not in self._selected:  # claims and tables ask for the same ones again and again
            self._selected[key] = [
                record
                for record in (self.records if scheme is None else self._of_scheme.get(scheme, []))
                if (failed or record.is_result)
                and all(name in record.parameters and record.parameters[name] == value for name, value in wanted)
            ]
        return list(self._selected[key])

    def spread(self, value: str, scheme: str, where: Mapping[str, Scalar] | None = None) -> Spread | None:
        """A value over the repetitions; None where nothing was measured, or none of them has it."""
        records = self.select(scheme, where)
        return spread((record.values.get(value) for record in records), is_drawn=any(record.drawn for record in records))

    def by_seed(self, value: str, scheme: str, where: Mapping[str, Scalar] | None = None) -> dict[int, float]:
        """A value by seed, of the runs that have it, see :data:`BySeed`; of several runs with one seed their mean."""
        found: dict[int, list[float]] = {}
        for record in self.select(scheme, where):
            if (known := record.values.get(value)) is not None:
                found.setdefault(record.seed if record.drawn else CONSTANT, []).append(known)
        return {seed: fmean(values) for seed, values in found.items()}

    def mean(self, value: str, scheme: str, **where: Any) -> float | None:
        """The mean of a value over the repetitions, or None."""
        found = self.spread(value, scheme, where)
        return found.mean if found else None

    def text(self, value: str, scheme: str, form: str, where: Mapping[str, Scalar] | None = None, *, marks: bool = True) -> str:
        """A value as text for a table: mean and half of its interval, or a dash."""
        found = self.spread(value, scheme, where)
        return found.text(form, marks=marks) if found else MISSING

    def typical(self, value: str | None, scheme: str, where: Mapping[str, Scalar] | None = None) -> CellRecord | None:
        """The record whose value is nearest the mean: the one to draw. The first one where there is no such value."""
        records = self.select(scheme, where)
        found = spread(record.values.get(value or "") for record in records)
        if found is None:
            return records[0] if records else None
        having = [(abs(known - found.mean), record) for record in records if (known := record.values.get(value or "")) is not None]
        return min(having, key=lambda pair: pair[0])[1]

    def schemes(self) -> list[str]:
        """Schemes in the order of the records."""
        return list(self._of_scheme)

    def common_parameters(self, value: str, scheme: str, where: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """The grid's variables in which all runs agree that have a value at a point, also those that never vary."""
        found = [record.parameters.items() for record in self.select(scheme, where) if record.values.get(value) is not None]
        return dict(item for item in found[0] if all(item in other for other in found)) if found else {}

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
