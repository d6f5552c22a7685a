"""A table with a row for each scheme, of values that its records have."""

from __future__ import annotations

from collections.abc import Iterable

from reports.document.blocks import Table
from reports.results import Results
from scenario.file import Point
from scenario.scenario import Scenario


def scheme_rows(columns: Iterable[tuple[str, str, str]], results: Results, point: Point, scenario: Scenario, caption: str) -> Table:
    """Columns are header, value of the record, and format; before the caption stands the point of the grid, if there is a grid."""
    columns = list(columns)
    rows = [
        [scheme, *(results.text(value, scheme, form, point, marks=False) for _, value, form in columns)] for scheme in scenario.run.schemes
    ]
    where = f"{', '.join(f'{name} = {value}' for name, value in point.items())}: " if point else ""
    return Table(where + caption, ["scheme", *(header for header, _, _ in columns)], rows)
