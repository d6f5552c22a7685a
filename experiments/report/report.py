"""Puts a report together: what was run, the experiments' parts, the paper's own sections, the account of all runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.report import html, markdown
from experiments.report.account import account, preamble
from experiments.report.bars import checked, judged
from experiments.report.definition import ReportDefinition, TableDefinition, read_definition
from experiments.report.document import Block, Heading, Picture, Table, Text
from experiments.report.figures import FigureMaker
from experiments.report.paper import Paper
from experiments.report.ratios import with_ratios
from experiments.report.results import Results
from experiments.report.tables import TableMaker
from experiments.run.record import CellRecord
from scenario.file import ScenarioFile


@dataclass(frozen=True)
class MeasuredFile:
    """A scenario file and the records of its cells, in the order of its grid; those that are missing are left out."""

    file: ScenarioFile
    records: Sequence[CellRecord]

    @property
    def schemes(self) -> list[str]:
        """In the order of the file, else of the records."""
        wanted = self.file.content.get("run", {}).get("schemes", [])
        measured = list(dict.fromkeys(record.scheme for record in self.records))
        return [*(scheme for scheme in wanted if scheme in measured), *(scheme for scheme in measured if scheme not in wanted)]


def write_report(
    files: Sequence[MeasuredFile], folder: Path, command: str, *, paper: Paper | None = None, quick: bool = False
) -> tuple[Path, Path]:
    """Write ``report.md``, ``report.html`` and the pictures; returns the two files.

    Args:
        files: the experiments that are shown, with what was measured of them.
        folder: where the report goes.
        command: how to get the same again.
        paper: whose experiments they are; None: of scenario files that belong to none.
        quick: it is a quick look.

    Raises:
        UserError: a file says something impossible of its report.
    """
    blocks = document(files, command, paper=paper, quick=quick)
    for block in blocks:
        if isinstance(block, Picture):
            block.draw(folder / f"{block.name}.png")
    text = markdown.render(blocks)
    in_markdown, in_html = folder / "report.md", folder / "report.html"
    in_markdown.write_text(text, encoding="utf-8")
    in_html.write_text(html.render(text, f"{paper.name if paper else files[0].file.name}: measured", folder), encoding="utf-8")
    return in_markdown, in_html


def document(files: Sequence[MeasuredFile], command: str, *, paper: Paper | None = None, quick: bool = False) -> list[Block]:
    """The whole report as blocks."""
    definitions = {one.file.name: read_definition(one.file) for one in files}
    results = {one.file.name: with_ratios(Results(one.records), definitions[one.file.name].ratios) for one in files}
    measured = {one.file.name: Results(one.records) for one in files}
    blocks: list[Block] = [
        Heading(f"{paper.title}: measured beside published" if paper else str(files[0].file.content.get("title", "")), 1)
    ]
    blocks += [Text(paper.citation)] if paper else []
    blocks += preamble(measured, command, quick=quick)
    for one in files:
        name, content = one.file.name, one.file.content
        blocks.append(Heading(str(content.get("title", name))))
        blocks += [Text(f"Source: {content['source']}.")] if content.get("source") else []
        blocks += experiment_blocks(one, definitions[name], results[name], paper) if one.records else [Text("Nothing measured yet.")]
    return [*blocks, *(_sections(paper, results) if paper else []), *account(measured)]


def experiment_blocks(one: MeasuredFile, definition: ReportDefinition, results: Results, paper: Paper | None) -> list[Block]:
    """The part of one experiment: notes, tables, bars, claims, figures."""
    names: Mapping[str, str] = paper.schemes if paper else {}
    tables = TableMaker(results, one.schemes, names, paper.name if paper else "")
    figures = FigureMaker(results, one.schemes, names, one.file)
    blocks: list[Block] = [Text(definition.notes.above)] if definition.notes.above else []
    blocks += [tables.table(table) for table in definition.tables or _common_tables(results)]
    bars = [line for bar in definition.bars for line in judged(bar, results, definition.labels, names)]
    claims = [checked(claim, results, one.schemes, definition.labels, names) for claim in definition.claims]
    blocks += [Text("Bars:\n\n" + "\n".join(f"- {line}" for line in bars))] if bars else []
    blocks += (
        [Text("What the paper says in words, judged by the medians measured here:\n\n" + "\n".join(f"- {line}" for line in claims))]
        if claims
        else []
    )
    blocks += [Text(definition.notes.below)] if definition.notes.below else []
    return [*blocks, *(figures.picture(figure) for figure in definition.figures)]


def _common_tables(results: Results) -> list[TableDefinition]:
    """For a file that says nothing of tables: what every cell has."""
    variables = list(dict.fromkeys(name for record in results.records for name in record.parameters))
    each = [{"value": "mean_mbps"}, {"value": "fair_mbps", "label": "fair share of"}]
    together = [
        {"value": "total_mbps", "label": "throughput, Mbit/s", "form": ".2f"},
        {"value": "jain", "label": "Jain's index", "form": ".4f"},
        {"value": "queue_drops", "label": "packets dropped by queues", "form": ".0f"},
    ]
    caption = "Mean payload throughput and ideal max-min fair share, Mbit/s."
    tables = [
        {"caption": caption, "rows": variables, "values": each, "each": "transmission", "form": ".2f"},
        {"caption": "Of all transmissions together.", "rows": variables, "values": together},
    ]
    found = [TableDefinition.model_validate(table) for table in tables]
    return found if any(key.startswith("mean_mbps.") for record in results.records for key in record.values) else found[1:]


def _sections(paper: Paper, results: Mapping[str, Results]) -> list[Block]:
    blocks: list[Block] = []
    for name in paper.sections:
        if name.endswith(".md"):
            blocks.append(Text((paper.folder / name).read_text(encoding="utf-8")))
        else:
            blocks += paper.section(name)(results, paper)
    if paper.deviations:
        rows = [[one.where, one.paper, one.here, one.why] for one in paper.deviations]
        blocks += [
            Heading("Where this testbed deviates from the paper"),
            Table("Deviations and open choices.", ["where", "the paper", "here", "why"], rows, left_columns=4),
        ]
    return blocks
