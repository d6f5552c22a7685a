"""Kernels side by side: values with a column for each kernel, and their differences from the first, seed by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from reports.claims.intervals import difference
from reports.document.blocks import Table
from reports.document.marks import with_legend
from reports.results import MISSING, BySeed, Results, paired
from scenario.file import Point, Scalar

HOW = "Difference: of runs with the same seed; higher, lower: its 95 % confidence interval (Student's t) excludes zero."


@dataclass(frozen=True)
class Row:
    """A row of such a table.

    Args:
        label: stands before it.
        value: of the record.
        form: its format.
        point: of the grid.
    """

    label: str
    value: str
    form: str
    point: Point


@dataclass(frozen=True)
class OnKernel:
    """The results on one kernel.

    Args:
        kernel: its name.
        results: that have them.
        where: the parameters by which they are told apart from others in there.
    """

    kernel: str
    results: Results
    where: Mapping[str, Scalar] = field(default_factory=dict)

    def by_seed(self, row: Row, scheme: str) -> BySeed:
        """The row's value by seed."""
        return self.results.by_seed(row.value, scheme, {**row.point, **self.where})

    def text(self, row: Row, scheme: str) -> str:
        """The row's value for a table."""
        return self.results.text(row.value, scheme, row.form, {**row.point, **self.where})


def side_by_side(caption: str, rows: Sequence[Row], scheme: str, measured: Sequence[OnKernel]) -> Table:
    """The table of one scheme; rows without any value are left out."""
    first, *others = measured
    header = ["", *(one.kernel for one in measured), *(f"{one.kernel} − {first.kernel}" for one in others)]
    listed = [
        [
            row.label,
            *(one.text(row, scheme) for one in measured),
            *(difference_text(one.by_seed(row, scheme), first.by_seed(row, scheme), row.form) for one in others),
        ]
        for row in rows
    ]
    shown = [row for row in listed if any(cell != MISSING for cell in row[1:])]
    return Table(with_legend(f"{caption.rstrip('.')}. {HOW}", shown), header, shown)


def difference_text(values: BySeed, of_first: BySeed, form: str) -> str:
    """``+2.04 ± 0.51, higher``; ``not apart`` where the interval includes zero; the difference alone of single runs."""
    pairs = paired(values, of_first) if values and of_first else []
    if not pairs:
        return MISSING
    mean, interval = fmean(one - other for one, other in pairs), difference(pairs)
    if interval is None:
        return f"{mean:+{form}}" if mean else "the same"
    found = f"{mean:+{form}} ± {(interval.high - interval.low) / 2:{form}}"
    if not interval.excludes_zero:
        return f"{found}, not apart"
    return f"{found}, {'higher' if mean > 0 else 'lower'}"
