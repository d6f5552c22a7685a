"""A paper on several kernels: each value of its tables beside itself, a table for each scheme, with a column for each kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from common.whole_files import whole_files
from reports.claims.comparisons import STANDARD
from reports.claims.ratios import with_ratios
from reports.definition import TableDefinition
from reports.document import html, markdown
from reports.document.blocks import Block, Heading, Table, Text
from reports.document.labels import joined
from reports.experiment import ReportedExperiment
from reports.kernel_differences import OnKernel, Row, side_by_side
from reports.paper import Paper
from reports.results import Results

IN_MARKDOWN, IN_HTML = "kernels.md", "kernels.html"

ResultsByExperiment = Mapping[str, Results]


def write_kernels_report(
    paper: Paper,
    experiments: Sequence[ReportedExperiment],
    measured: Mapping[str, ResultsByExperiment],
    command: str,
    folder: Path,
) -> list[Path]:
    """Write the comparison as Markdown and as a page; returns both files.

    Args:
        paper: that was measured.
        experiments: of it.
        measured: by kernel, the first is the one with which others are compared.
        command: how to get the same again.
        folder: for the files.
    """
    title = f"{paper.title}: on Linux {' and '.join(measured)}"
    blocks: list[Block] = [Heading(title, 1), Text(paper.citation), Text(f"To get the same again: `{command}`.")]
    for one in experiments:
        ratios = one.definition.ratios
        on_kernels = [OnKernel(kernel, with_ratios(found[one.name], ratios)) for kernel, found in measured.items()]
        tables = [table for table in _tables(one, on_kernels) if table.rows]
        blocks += [Heading(one.title), *tables] if tables else [Heading(one.title), Text("Nothing measured yet.")]
    text = markdown.render(blocks)
    with whole_files(folder) as unfinished:
        (unfinished / IN_MARKDOWN).write_text(text, encoding="utf-8")
        (unfinished / IN_HTML).write_text(html.render(text, title, unfinished), encoding="utf-8")
    return [folder / IN_MARKDOWN, folder / IN_HTML]


def _tables(one: ReportedExperiment, measured: Sequence[OnKernel]) -> list[Table]:
    if all(not on.results.records for on in measured):
        return []
    shown = [(table.caption, _rows(one, table, measured)) for table in one.definition.tables] or [(one.title, _standard_rows(measured))]
    return [side_by_side(f"{scheme}: {caption}", rows, scheme, measured) for caption, rows in shown for scheme in one.schemes]


def _rows(one: ReportedExperiment, table: TableDefinition, measured: Sequence[OnKernel]) -> list[Row]:
    labels = {**one.definition.labels, **table.labels}
    variables = [name for name in table.rows if name != "scheme"]
    names = list(dict.fromkeys(t.name for _, scenario in one.scenarios for t in scenario.transmissions)) if table.each else [""]
    points = list({tuple(point.items()): point for on in measured for point in on.results.points(variables, table.where)}.values())
    is_alone = len(table.values) == 1 and bool(names[0] or variables)
    return [
        Row(
            ", ".join(part for part in (joined(point, labels), name, "" if is_alone else value.label or value.value) if part),
            f"{value.value}.{name}" if name else value.value,
            value.form or table.form,
            {**point, **table.where},
        )
        for point in points
        for name in names
        for value in table.values
    ]


def _standard_rows(measured: Sequence[OnKernel]) -> list[Row]:
    points = list({tuple(point.items()): point for on in measured for point in on.results.points(None)}.values())
    return [
        Row(", ".join(part for part in (joined(point, {}), value.label) if part), value.value, value.form, point)
        for point in points
        for value in STANDARD
    ]
