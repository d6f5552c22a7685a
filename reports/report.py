"""Puts a report together: circumstances, the experiments' parts, the paper's own sections, the account of all runs, their cost."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from common.whole_files import whole_files
from reports.account import account, preamble
from reports.claims.bars import judged
from reports.claims.causes import Evidence
from reports.claims.judgement import explain, judge
from reports.claims.ratios import with_ratios
from reports.cost import cost_section
from reports.document import html, markdown
from reports.document.blocks import Block, Heading, Picture, Table, Text, picture_name
from reports.document.tables import TableMaker
from reports.figures.figure_maker import FigureMaker
from reports.paper import Paper
from reports.results import Results

if TYPE_CHECKING:
    from engine.collect.store import ResultStore
    from reports.experiment import ReportedExperiment

IN_MARKDOWN, IN_HTML = "report.md", "report.html"


def write_report(
    paper: Paper, experiments: Sequence[ReportedExperiment], store: ResultStore, command: str, folder: Path | None = None
) -> list[Path]:
    """Write ``report.md``, ``report.html`` and the pictures; returns the documents.

    Args:
        paper: that the report is about.
        experiments: those that are shown.
        store: the results.
        command: how to get the same again.
        folder: for a report that is kept: ``report.md`` alone, with the PNG files of the main figures. None: all, beside the results.
    """
    blocks = document(paper, experiments, results_of(experiments, store), command)
    pictures = [block for block in blocks if isinstance(block, Picture)]
    if folder is not None:
        return [_write_kept(blocks, pictures, paper, command, folder)]
    text = markdown.render(blocks)
    with whole_files(store.folder) as unfinished:
        for picture in pictures:
            picture.draw(unfinished)
        (unfinished / IN_MARKDOWN).write_text(text, encoding="utf-8")
        page = html.render(text, f"{paper.name}: measured beside published", unfinished)
        (unfinished / IN_HTML).write_text(page, encoding="utf-8")
    return [store.folder / IN_MARKDOWN, store.folder / IN_HTML]


def _write_kept(blocks: Sequence[Block], pictures: Sequence[Picture], paper: Paper, command: str, folder: Path) -> Path:
    main = {picture_name(one.experiment, one.figure) for one in paper.main_figures if one.figure}
    kept = markdown.Kept([one.name for one in pictures if one.name in main], f"{command} REPORT_ONLY=1")
    with whole_files(folder) as unfinished, TemporaryDirectory() as drawn:
        for picture in pictures:
            if picture.name in kept.pictures:
                picture.draw(Path(drawn))
                shutil.copy(Path(drawn) / f"{picture.name}.png", unfinished)
        (unfinished / IN_MARKDOWN).write_text(markdown.render(blocks, kept), encoding="utf-8")
    return folder / IN_MARKDOWN


def results_of(experiments: Sequence[ReportedExperiment], store: ResultStore) -> dict[str, Results]:
    """The measured results, by experiment."""
    return {one.name: Results.of_cells(one.cells(), store.records(one.cells())) for one in experiments}


def document(paper: Paper, experiments: Sequence[ReportedExperiment], results: Mapping[str, Results], command: str) -> list[Block]:
    """The whole report as blocks."""
    blocks: list[Block] = [
        Heading(f"{paper.title}: measured beside published", 1),
        Text(paper.citation),
        *preamble(results, command, experiments[0].effort.size),
        *(Text(f"**{scheme}** is not available: {reason}") for scheme, reason in paper.not_available.items()),
    ]
    with_all = {one.name: with_ratios(results[one.name], one.definition.ratios) for one in experiments}
    evidence = Evidence(paper.causes, with_all)
    for one in experiments:
        blocks += [Heading(one.title), Text(f"Source: {one.source}.")]
        measured = results[one.name]
        blocks += blocks_of_experiment(one, measured, paper, evidence) if measured.records else [Text("Nothing measured yet.")]
    return [*blocks, *_sections(paper, with_all), *account(results), *cost_section(results)]


def blocks_of_experiment(
    one: ReportedExperiment, measured: Results, paper: Paper | None = None, evidence: Evidence | None = None
) -> list[Block]:
    """The part of one experiment: notes, tables, bars, claims, figures.

    Args:
        one: the experiment.
        measured: its results.
        paper: that it belongs to.
        evidence: for the causes of the paper's claims.
    """
    definition, results = one.definition, with_ratios(measured, one.definition.ratios)
    names: Mapping[str, str] = paper.schemes if paper else {}
    absent = list(paper.not_available) if paper else []
    tables = TableMaker(results, one.schemes, names, paper.name if paper else "", definition.labels, absent, definition.marks)
    figures = FigureMaker(results, names, one)
    bars = [str(one) for bar in definition.bars for one in judged(bar, results, definition.labels, names)]
    judgements = [judge(claim, results, one.schemes, definition.labels, names, quick=one.is_quick) for claim in definition.claims]
    claims = [str(explain(judgement, results, evidence or Evidence())) for judgement in judgements]
    blocks: list[Block] = [Text(definition.notes.above)] if definition.notes.above else []
    blocks += [tables.table(table) for table in definition.tables]
    blocks += _listed("Bars:", bars) + _listed("The paper's claims in words, judged by the measurements here:", claims)
    blocks += [Text(definition.notes.below)] if definition.notes.below else []
    return [*blocks, *(figures.picture(figure) for figure in definition.figures)]


def _listed(heading: str, lines: Sequence[str]) -> list[Block]:
    return [Text(f"{heading}\n\n" + "\n".join(f"- {line}" for line in lines))] if lines else []


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
