"""Tables of a report from their definitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter

from reports.claims.published import published_table
from reports.definition import CellMark, PublishedRows, ShownValue, TableDefinition
from reports.document.blocks import Table
from reports.document.labels import Labels, joined, label, plain, runs
from reports.document.marks import signs, with_legend
from reports.results import MISSING, Results
from scenario.file import Scalar

TRANSMISSION = "transmission"
NOT_AVAILABLE = "not available"


@dataclass(frozen=True)
class _Row:
    """A measured row: its value, its point of the grid, and the transmission and the scheme that it belongs to."""

    value: ShownValue
    point: Mapping[str, Scalar]
    transmission: str = ""
    scheme: str = ""
    """The scheme that the row belongs to; empty: schemes have columns."""

    @property
    def value_name(self) -> str:
        return self.named(self.value)

    def named(self, value: ShownValue) -> str:
        """A value's key in the records; of this row's transmission, if it has one."""
        return f"{value.value}.{self.transmission}" if self.transmission else value.value

    def published_row(self, published: PublishedRows) -> str:
        texts = {name: plain(value) for name, value in self.point.items()} | {TRANSMISSION: self.transmission}
        return self.value.published or published.row.format_map(texts)


class TableMaker:
    """Makes the tables of one experiment.

    Args:
        results: with ratios.
        schemes: a column each, if they were measured.
        names: of schemes.
        paper: the one with the published values.
        labels: how variables are shown, where a table does not say it.
        absent: names of schemes that have a column although nobody can run them.
        marks: signs behind values of another kind.
    """

    def __init__(
        self,
        results: Results,
        schemes: Sequence[str],
        names: Mapping[str, str],
        paper: str,
        labels: Labels,
        absent: Sequence[str] = (),
        marks: Sequence[CellMark] = (),
    ) -> None:
        self._results, self._names, self._paper, self._all_labels, self._absent = results, names, paper, labels, absent
        self._marks = marks
        measured = results.schemes()
        self._schemes = [scheme for scheme in schemes if scheme in measured]

    def table(self, definition: TableDefinition) -> Table:
        """One table; every row, or the caption for all, says how often and when it was measured."""
        rows = self._rows(definition)
        body = [(self._texts(definition, row), self._runs(definition, row)) for row in rows]
        if definition.published and definition.columns == "scheme":
            body = self._with_published(definition, rows, body)
        given = [[one.label, *one.cells, *[""] * (len(body[0][0]) - 1 - len(one.cells))] for one in definition.given_rows] if body else []
        header = self._header(definition)
        measured = {said for _, said in body if said}
        caption = definition.caption
        if len(measured) == 1:
            caption += f" Runs of each row: {measured.pop()}."
            cells = [*given, *(texts for texts, _ in body)]
        else:
            header = [*header, "runs"]
            cells = [*([*one, ""] for one in given), *([*texts, said] for texts, said in body)]
        return Table(with_legend(caption, cells, self._marks), header, cells, left_columns=2 if self._is_compared(definition) else 1)

    def _is_compared(self, definition: TableDefinition) -> bool:
        return definition.published is not None and definition.columns == "scheme"

    def _rows(self, definition: TableDefinition) -> list[_Row]:
        if definition.columns == "value":
            value, points = definition.values[0], self._points(definition, None)
            if not definition.row_a_scheme:
                return [_Row(value, point) for point in points]
            each = [(point, scheme) for point in points for scheme in self._schemes]
            return [_Row(value, point, scheme=scheme) for point, scheme in each if self._results.select(scheme, point, failed=True)]
        return [
            _Row(value, point, name)
            for value in definition.values
            for point in self._points(definition, None if definition.each else value.value)
            for name in (self._transmissions(value.value) if definition.each else [""])
        ]

    def _points(self, definition: TableDefinition, value: str | None) -> list[dict[str, Scalar]]:
        return self._results.points(definition.rows, definition.where, value)

    def _transmissions(self, value: str) -> list[str]:
        keys = dict.fromkeys(key for record in self._results.records for key in record.values if key.startswith(f"{value}."))
        return [key.removeprefix(f"{value}.") for key in keys]

    def _header(self, definition: TableDefinition) -> list[str]:
        head = [definition.head, ""] if self._is_compared(definition) else [definition.head]
        names = [self._name(definition, scheme) for scheme in self._schemes]
        if definition.columns == "scheme":
            return [*head, *names, *self._absent, *(value.label for value in definition.more_columns)]
        if definition.row_a_scheme:
            return [*head, *(value.label for value in definition.values)]
        several = len(self._schemes) > 1
        return [*head, *(f"{name}: {value.label}" if several else value.label for value in definition.values for name in names)]

    def _texts(self, definition: TableDefinition, row: _Row) -> list[str]:
        where = {**definition.where, **row.point}
        if definition.columns == "value":
            columns = [(value, scheme) for value in definition.values for scheme in ([row.scheme] if row.scheme else self._schemes)]
        else:
            more = [(value, value.scheme or self._schemes[0]) for value in definition.more_columns] if self._schemes else []
            columns = [*((row.value, scheme) for scheme in self._schemes), *more]
        cells = [self._cell(row.named(value), scheme, value.form or definition.form, where) for value, scheme in columns]
        if definition.columns == "scheme":
            cells[len(self._schemes) : len(self._schemes)] = [NOT_AVAILABLE] * len(self._absent)
        group, rest = self._labels(definition, row)
        if self._is_compared(definition):
            return [group, ", ".join(["measured", *rest]), *cells]
        return [", ".join([group, *rest] if group else rest), *cells]

    def _cell(self, value: str, scheme: str, form: str, where: Mapping[str, Scalar]) -> str:
        text = self._results.text(value, scheme, form, where)
        return text if text == MISSING else text + signs(self._marks, scheme, self._results.common_parameters(value, scheme, where))

    def _labels(self, definition: TableDefinition, row: _Row) -> tuple[str, list[str]]:
        """The part of a row's label that it shares with the published row below it, and the other parts."""
        labels = {**self._all_labels, **definition.labels}
        value_text = [" ".join(text for text in (row.value.label, row.transmission) if text)]
        value_text = [text for text in value_text if text and definition.columns == "scheme"]
        if not self._is_compared(definition):
            scheme_text = [self._name(definition, row.scheme)] if row.scheme else []
            return "", [*value_text, *([at] if (at := joined(row.point, labels)) else []), *scheme_text]
        assert definition.published is not None
        named = {name for _, name, _, _ in Formatter().parse(definition.published.row) if name}
        group = [label(name, value, labels) for name, value in row.point.items() if name in named]
        rest = {name: value for name, value in row.point.items() if name not in named}
        rest_text = [at] if (at := joined(rest, labels)) else []
        if row.value.published or TRANSMISSION in named or not named:
            return ", ".join([*value_text, *group]), rest_text
        return ", ".join(group), [*value_text, *rest_text]

    def _runs(self, definition: TableDefinition, row: _Row) -> str:
        records = self._results.select(row.scheme or None, where={**definition.where, **row.point})
        names = [row.value_name] if definition.columns == "scheme" else [shown.value for shown in definition.values]
        # A ratio is a record of its own beside those that it is made of, so the records of each value are counted by themselves.
        having = max(([record for record in records if name in record.values] for name in names), key=len)
        return runs([record for record in having if record.scheme in self._schemes], 1 if row.scheme else len(self._schemes))

    def _with_published(
        self, definition: TableDefinition, rows: list[_Row], body: list[tuple[list[str], str]]
    ) -> list[tuple[list[str], str]]:
        assert definition.published is not None
        published = published_table(f"{self._paper}/{definition.published.table}", definition.published.columns)
        groups: dict[str, list[int]] = {}
        for position, row in enumerate(rows):
            groups.setdefault(row.published_row(definition.published), []).append(position)
        found: list[tuple[list[str], str]] = []
        for key, positions in groups.items():
            found += [body[position] for position in positions]
            values = [published.value(key, scheme) for scheme in self._schemes]
            if any(value is not None for value in values):
                shown = [MISSING if value is None else f"{value:g}" for value in values]
                beside = [*[MISSING] * len(self._absent), *[""] * len(definition.more_columns)]
                found.append(([body[positions[0]][0][0], "published", *shown, *beside], ""))
        return found

    def _name(self, definition: TableDefinition, scheme: str) -> str:
        return definition.names.get(scheme, self._names.get(scheme, scheme))
