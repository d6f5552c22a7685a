"""Puts a paper's report together: what was run, the experiments' parts, the paper's own sections, the account of all runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.reproduction import html, markdown
from experiments.reproduction.document import Block, Heading, Picture, Table, Text
from experiments.reproduction.experiment import Effort, Experiment, Paper
from experiments.reproduction.machine import describe_machine
from experiments.reproduction.results import Results
from experiments.reproduction.store import ResultStore


def collect(store: ResultStore, experiments: Sequence[Experiment], effort: Effort) -> dict[str, Results]:
    """All stored results of the experiments' cells, keyed by experiment."""
    found = {}
    for experiment in experiments:
        records = (store.load(cell) for cell in experiment.cells(effort))
        found[experiment.name] = Results(record for record in records if record is not None)
    return found


def write_report(paper: Paper, experiments: Sequence[Experiment], store: ResultStore, effort: Effort, command: str) -> tuple[Path, Path]:
    """Write ``report.md``, ``report.html`` and the pictures into the store's folder; returns the two files.

    Args:
        paper: whose report.
        experiments: those that are shown.
        store: the results.
        effort: what was asked for.
        command: how to get the same again.
    """
    results = collect(store, experiments, effort)
    blocks = document(paper, experiments, results, effort, command)
    for block in blocks:
        if isinstance(block, Picture):
            block.draw(store.folder / f"{block.name}.png")
    text = markdown.render(blocks)
    in_markdown, in_html = store.folder / "report.md", store.folder / "report.html"
    in_markdown.write_text(text, encoding="utf-8")
    in_html.write_text(html.render(text, f"{paper.name}: measured beside published", store.folder), encoding="utf-8")
    return in_markdown, in_html


def document(paper: Paper, experiments: Sequence[Experiment], results: Mapping[str, Results], effort: Effort, command: str) -> list[Block]:
    """The whole report as blocks."""
    blocks: list[Block] = [Heading(paper.title, 1), *_preamble(results, effort, command)]
    for experiment in experiments:
        blocks += [Heading(experiment.title), Text(f"Paper: {experiment.source}.")]
        blocks += experiment.report(results[experiment.name]) if results[experiment.name].records else [Text("Nothing measured yet.")]
    for section in paper.sections:
        blocks += section(results)
    return [*blocks, *_account(experiments, results)]


def _preamble(results: Mapping[str, Results], effort: Effort, command: str) -> list[Block]:
    records = [record for found in results.values() for record in found.records]
    commits = Counter(record.commit for record in records)
    kernels = Counter(record.kernel for record in records if record.kernel)
    started = sorted(record.started for record in records if record.started)
    lines = [
        f"- command: `{command}`" + (" (a coarser grid and shorter runs, for a look)" if effort.quick else ""),
        f"- commit: {', '.join(commits) or 'nothing measured'}; kernel: {', '.join(kernels) or '—'}; machine: {describe_machine()}",
        f"- repetitions: {effort.repetitions}; a value is their median, [lowest…highest] in brackets where they differ",
        f"- measured between {started[0]} and {started[-1]}; the cells themselves took {sum(r.took_s for r in records) / 60:.1f} minutes"
        if started
        else "- nothing has been measured yet",
        f"- runs that the fidelity verdict rejected and that were repeated: {sum(len(r.rejected) for r in records)}; "
        f"cells without a result: {sum(not r.is_result for r in records)} of {len(records)}",
        "- schemes: " + "; ".join(_sources(results)),
    ]
    return [
        Text(
            "Rows called *measured* come from this testbed alone: real Linux TCP over emulated links. "
            "Rows called *published* are the paper's, for comparison, and nothing is computed from them."
        ),
        Text("\n".join(lines)),
    ]


def _sources(results: Mapping[str, Results]) -> list[str]:
    sources: dict[str, str] = {}
    for found in results.values():
        for record in found.records:
            if "congestion_control" in record.facts:
                sources[record.scheme] = record.facts["congestion_control"]
    return [f"{scheme} ({source})" for scheme, source in sources.items()] or ["—"]


def _account(experiments: Sequence[Experiment], results: Mapping[str, Results]) -> list[Block]:
    rows = []
    for experiment in experiments:
        records = results[experiment.name].records
        verdicts = [record.verdict for record in records if record.verdict]
        rows.append([
            experiment.name,
            str(sum(record.is_result for record in records)),
            str(sum(not record.is_result for record in records)),
            str(sum(len(record.rejected) for record in records)),
            f"{100 * max((v.late_share for v in verdicts), default=0.0):.2f} %",
            f"{max((v.p99_us for v in verdicts), default=0.0) / 1000:.2f} ms",
            f"{100 * max((v.steal_share for v in verdicts), default=0.0):.1f} %",
            f"{sum(record.took_s for record in records):.0f} s",
        ])  # fmt: skip
    failures = [f"- {record.cell}: {record.failure}" for found in results.values() for record in found.records if record.failure]
    blocks: list[Block] = [
        Heading("Account of the runs"),
        Table(
            "Cells with and without a result; runs rejected and repeated; of the runs that count, the largest share of packets that were "
            "over 1 ms late on a link, and the largest 99th percentile of lateness; the largest part of the processors' time that a "
            "hypervisor gave to others; time.",
            ["experiment", "cells", "without result", "rejected runs", "late, worst", "p99, worst", "stolen, worst", "time"],
            rows,
        ),
    ]
    return [*blocks, Text("Cells without a result:\n\n" + "\n".join(failures))] if failures else blocks
