"""One page over the reports of all papers: the results of each scheme in their main figures, and the outcome of their claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from common.errors import UserError
from common.whole_files import write_whole
from reports.claims.comparisons import HOW_IT_COUNTS, sentence
from reports.claims.judgement import ClaimStatus, Judgement, judge, statuses_of
from reports.claims.published import published_table
from reports.claims.ratios import with_ratios
from reports.cost import HEADER, WHAT, cost_of
from reports.definition import CellMark, Claim
from reports.document import html, markdown
from reports.document.blocks import Block, Heading, Table, Text, anchor, picture_name
from reports.document.labels import joined, plain, range_text
from reports.document.marks import signs, with_legend
from reports.paper import MainFigure, Paper
from reports.results import MISSING, Results

if TYPE_CHECKING:
    from reports.experiment import ReportedExperiment

TITLE = "All papers on one testbed"
RULE = (
    "A claim is *confirmed* if its rule holds at every point of the grid that was measured, and *not confirmed* if it holds at none. "
    "Otherwise the result *differs* from it: the rule holds at some points, or only in a weaker form that the experiment's file states "
    "(the paper's direction without its size). *Not judged*: values that the rule needs are missing, or it takes "
    "longer than the runs of a quick look. *Undecided*: over bootstrap samples of the seeds the rule holds neither nearly always nor "
    "nearly never. Rules are over means of the runs; they stand in the experiments' files. Every report says at which points they hold."
)


COUNTED = "The number of cells measured, and of claims by verdict. A claim that a paper makes more than once counts once."


@dataclass(frozen=True)
class Measured:
    """A paper and its results.

    Args:
        paper: the paper.
        experiments: of the size that is shown.
        results: by experiment, without ratios.
        report: its report's folder, as seen from the page.
    """

    paper: Paper
    experiments: Sequence[ReportedExperiment]
    results: Mapping[str, Results]
    report: str

    @cached_property
    def with_ratios(self) -> dict[str, Results]:
        """Results by experiment, with the ratios that its file defines among the values."""
        return {one.name: with_ratios(self.results[one.name], one.definition.ratios) for one in self.experiments}

    @cached_property
    def judgements(self) -> list[tuple[ReportedExperiment, Judgement]]:
        """The judgement of every claim, in the order of the report."""
        return [(one, self._judged(claim, one)) for one in self.experiments for claim in one.definition.claims]

    def _judged(self, claim: Claim, one: ReportedExperiment) -> Judgement:
        return judge(claim, self.with_ratios[one.name], one.schemes, one.definition.labels, self.paper.schemes, quick=one.is_quick)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of cells with a result, and of all cells."""
        done = sum(record.is_result for found in self.results.values() for record in found.records)
        return done, sum(len(one.cells()) for one in self.experiments)

    @property
    def is_begun(self) -> bool:
        """Whether there is any result."""
        return self.counts[0] > 0

    def experiment(self, name: str) -> ReportedExperiment | None:
        """The experiment of that name; None if it is not part of this size."""
        return next((one for one in self.experiments if one.name == name), None)


def write_overview(papers: Sequence[Measured], stem: Path, command: str, *, kept: bool = False) -> list[Path]:
    """Write ``STEM.md`` and ``STEM.html``; returns the files.

    Args:
        papers: all there are.
        stem: of the files; the reports are in folders beside them.
        command: how to get the same again.
        kept: ``STEM.md`` alone, for reports that are kept.
    """
    in_markdown, in_html = (stem.with_name(f"{stem.name}.{suffix}") for suffix in ("md", "html"))
    write_whole(in_markdown, markdown.render(overview(papers, command, "md")))
    if kept:
        return [in_markdown]
    write_whole(in_html, html.render(markdown.render(overview(papers, command, "html")), TITLE, stem.parent))
    return [in_markdown, in_html]


def overview(papers: Sequence[Measured], command: str, suffix: str) -> list[Block]:
    """The page as blocks.

    Args:
        papers: all there are.
        command: how to get the same again.
        suffix: of the reports that links lead to: md or html.
    """
    begun = [one for one in papers if one.is_begun]
    return [
        Heading(TITLE, 1),
        Text(f"Each paper's figures and tables measured on this testbed, every scheme beside the others. Command: `{command}`."),
        *_state(papers, suffix),
        *_schemes(begun, suffix),
        Heading("Claims"),
        Text(RULE),
        *[block for one in begun for block in _claims(one, suffix)],
        *_pictures(begun, suffix),
        *_costs(begun),
    ]


def _state(papers: Sequence[Measured], suffix: str) -> list[Block]:
    rows = []
    for one in papers:
        if one.is_begun:
            statuses = Counter(statuses_of(judgement for _, judgement in one.judgements))
            days = sorted({r.started[:10] for found in one.results.values() for r in found.records if r.is_result and r.started})
            done, wanted = one.counts
            told = [str(statuses[status]) for status in ClaimStatus]
            when = " to ".join(dict.fromkeys([days[0], days[-1]])) if days else MISSING
            rows.append([f"[{one.paper.name}]({one.report}/report.{suffix})", f"{done} of {wanted}", *told, when])
    header = ["paper", "cells measured", *(f"claims: {status}" for status in ClaimStatus), "measured"]
    blocks: list[Block] = [Table(COUNTED, header, rows)] if rows else []
    missing = [one.paper.name for one in papers if not one.is_begun]
    return [*blocks, Text(f"Not measured: {', '.join(missing)}.")] if missing else blocks


def _schemes(papers: Sequence[Measured], suffix: str) -> list[Block]:
    columns = [(one, figure) for one in papers for figure in one.paper.main_figures if one.experiment(figure.experiment)]
    schemes = dict.fromkeys(scheme for one, figure in columns for scheme in one.results[figure.experiment].schemes())
    rows = [[scheme, *(_value(one, figure, scheme) for one, figure in columns)] for scheme in schemes]
    header = ["scheme", *(_column(one, figure, suffix) for one, figure in columns)]
    marks = [
        mark
        for number, (one, figure) in enumerate(columns, start=1)
        for mark in _marks(one, figure)
        if any(mark.sign in row[number] for row in rows)
    ]
    caption = "The schemes in the papers' main figures; in brackets behind a value what the paper published."
    return [Heading("Schemes"), Table(with_legend(caption, rows, marks), header, rows)] if columns else []


def _value(one: Measured, figure: MainFigure, scheme: str) -> str:
    results = one.with_ratios[figure.experiment]
    points = results.points(None, figure.where, figure.value)
    if len(points) > 1:
        listed = "; ".join(joined(point, {}) for point in points)
        raise UserError(
            f"{one.paper.folder / 'paper.toml'}: main_figures: `where` of {figure.label!r} leaves {len(points)} points: {listed}",
            "one is wanted",
        )
    text = results.text(figure.value, scheme, figure.form, figure.where)
    parameters = results.common_parameters(figure.value, scheme, figure.where)
    text += _over_others(results, figure, scheme) + signs(_marks(one, figure), scheme, parameters)
    if figure.published is None:
        return text
    table = published_table(f"{one.paper.name}/{figure.published.table}", figure.published.columns)
    published = table.value(figure.published.row, scheme)
    return text if published is None else f"{text} ({published:g})"


def _column(one: Measured, figure: MainFigure, suffix: str) -> str:
    """The figure, and the number of runs behind its values: ``, n = 10``, or ``, n = 1 to 3``."""
    results = one.with_ratios[figure.experiment]
    found = [results.spread(figure.value, scheme, figure.where) for scheme in results.schemes()]
    counts = [spread.count for spread in found if spread is not None]
    runs = f", n = {range_text(counts, 'd')}" if counts else ""
    return f"[{one.paper.name}: {figure.label}]({_link(one, figure.experiment, suffix)}){runs}"


def _marks(one: Measured, figure: MainFigure) -> list[CellMark]:
    experiment = one.experiment(figure.experiment)
    return experiment.definition.marks if experiment else []


def _over_others(results: Results, figure: MainFigure, scheme: str) -> str:
    """The lowest and the highest value over the variable that the figure names: `` [0.1 at 10 … 0.9 at 160]``."""
    if figure.over is None:
        return ""
    others = {name: value for name, value in figure.where.items() if name != figure.over}
    found = [
        (mean, plain(point[figure.over]))
        for point in results.points([figure.over], others, figure.value)
        if figure.over in point and (mean := results.mean(figure.value, scheme, **others, **point)) is not None
    ]
    if len(found) < 2:
        return ""
    (low, at_low), (high, at_high) = min(found), max(found)
    return f" [{low:{figure.form}} at {at_low} … {high:{figure.form}} at {at_high}]"


def _claims(one: Measured, suffix: str) -> list[Block]:
    headlines = [(experiment, judgement) for experiment, judgement in one.judgements if judgement.claim.headline]
    others = [(experiment, judgement) for experiment, judgement in one.judgements if not judgement.claim.headline]
    blocks: list[Block] = [Heading(one.paper.name, 3), Text(one.paper.citation)]
    for intro, told in (("The claims that the paper is known for:", headlines), ("Its other claims:" if headlines else "", others)):
        if told:
            lines = [f"- {judgement} [{experiment.name}]({_link(one, experiment.name, suffix)})" for experiment, judgement in told]
            blocks.append(Text("\n".join([*([intro, ""] if intro else []), *lines])))
    return blocks if one.judgements else [*blocks, Text("No claims.")]


def _pictures(papers: Sequence[Measured], suffix: str) -> list[Block]:
    blocks: list[Block] = []
    for one in papers:
        shown = dict.fromkeys((main.experiment, main.figure) for main in one.paper.main_figures if main.figure)  # several values share one
        for name, wanted in shown:
            experiment = one.experiment(name)
            if experiment is None or not one.results[experiment.name].records:
                continue
            figure = next((figure for figure in experiment.definition.figures if figure.name == wanted), None)
            if figure is None:
                raise UserError(f"{one.paper.folder / 'paper.toml'}: main_figures: {experiment.name} has no figure {wanted!r}")
            said = sentence(figure, experiment.definition.comparisons, one.with_ratios[experiment.name], one.paper.schemes)
            link = f"[{one.paper.name}, {experiment.name}]({_link(one, experiment.name, suffix)})"
            picture = f"![{figure.name}]({one.report}/{picture_name(experiment.name, figure.name)}.png)"
            blocks.append(Text(f"{picture}\n\n{link}: *{figure.caption}*\n\n{said}"))
    return [Heading("Main figures"), Text(f"{HOW_IT_COUNTS[0].upper()}{HOW_IT_COUNTS[1:]}."), *blocks] if blocks else []


def _costs(papers: Sequence[Measured]) -> list[Block]:
    accounts = {one.paper.name: cost_of(record for found in one.results.values() for record in found.records) for one in papers}
    rows = [[name, *account.row, "; ".join(account.machines)] for name, account in accounts.items() if account.cells]
    return [Heading("Cost"), Table(WHAT, ["paper", *HEADER, "machine"], rows)] if rows else []


def _link(one: Measured, experiment: str, suffix: str) -> str:
    found = one.experiment(experiment)
    return f"{one.report}/report.{suffix}#{anchor(found.title)}" if found else f"{one.report}/report.{suffix}"
