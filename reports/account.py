"""The runs of a report: their circumstances, how many were repeated, and how close together the compared schemes were measured."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from engine.collect.record import CellRecord, inputs_without_cells
from engine.plan.budget import duration_text
from reports.claims.comparisons import HOW_IT_COUNTS
from reports.claims.intervals import HOW
from reports.document.blocks import Block, Heading, Table, Text
from reports.document.labels import plain
from reports.results import MISSING, Results
from scenario.run_request import Size

PERCENT, MILLISECOND_US = 100.0, 1e3
SIZES = {Size.NORMAL: "", Size.QUICK: " (a coarser grid and shorter runs, for a look)", Size.FULL: " (the published sizes)"}


def preamble(results: Mapping[str, Results], command: str, size: Size) -> list[Block]:
    """How to read the numbers of a report, and the circumstances under which they were measured."""
    records = [record for found in results.values() for record in found.records]
    started = sorted(record.started for record in records if record.started)
    machines = Counter(
        ", ".join(part for part in (record.facts.get("machine", ""), record.kernel) if part) for record in records if record.is_result
    )
    lines = [
        f"command: `{command}`{SIZES[size]}",
        f"commit: {', '.join(Counter(record.commit for record in records)) or 'nothing measured'}",
        f"machine: {'; '.join(one for one in machines if one) or MISSING}",
        *(["the digits depend on: " + "; ".join(inputs)] if (inputs := inputs_without_cells(records)) else []),
        f"{HOW}; each table says how many runs there are, and of which day",
        f"measured between {started[0]} and {started[-1]}; the cells themselves took {sum(r.took_s for r in records) / 60:.1f} minutes"
        if started
        else "nothing has been measured yet",
        f"runs that did not count and were repeated: {sum(len(r.rejected) for r in records)}; "
        f"cells without a result: {sum(not r.is_result for r in records)} of {len(records)}",
        HOW_IT_COUNTS,
        f"schemes: {'; '.join(_sources(records)) or MISSING}",
    ]
    rows = "Rows called *measured* come from this testbed alone: real Linux TCP over emulated links. Rows called *published* are the paper's, for comparison, and nothing is computed from them."  # noqa: E501
    return [Text(rows), Text("\n".join(f"- {line}" for line in lines))]


def account(results: Mapping[str, Results]) -> list[Block]:
    """A row for each experiment: cells, repeated runs, lateness, and the time span of its comparisons; then the cells without a result."""
    rows = []
    for name, found in results.items():
        verdicts = [record.verdict for record in found.records if record.verdict]
        rows.append([
            name,
            str(sum(record.is_result for record in found.records)),
            str(sum(not record.is_result for record in found.records)),
            str(sum(len(record.rejected) for record in found.records)),
            f"{PERCENT * max((v.late_share for v in verdicts), default=0.0):.2f} %",
            f"{max((v.p99_us for v in verdicts), default=0.0) / MILLISECOND_US:.2f} ms",
            f"{PERCENT * max((v.steal_share for v in verdicts), default=0.0):.1f} %",
            _span(longest_comparison(found.records)),
            f"{sum(record.took_s for record in found.records):.0f} s",
        ])  # fmt: skip
    failures = [f"- {record}: {record.failure}" for found in results.values() for record in found.records if record.failure]
    caption = (
        "Cells with and without a result; runs that did not count and were repeated. Then the largest share of packets that were over "
        "1 ms late on a link, and the largest 99th percentile of lateness. Then the largest part of the processors' time that a hypervisor "
        "gave to others; these three are of the runs that count. Then the longest comparison, which has the schemes of one point and "
        "repetition: the time from the first one's start to the last one's end. At last the time of all cells."
    )
    header = [
        "experiment",
        "cells",
        "without result",
        "repeated runs",
        "late, worst",
        "p99, worst",
        "stolen, worst",
        "side by side within",
        "time",
    ]
    blocks: list[Block] = [Heading("Account of the runs"), Table(caption, header, rows)]
    return [*blocks, Text("Cells without a result:\n\n" + "\n".join(failures))] if failures else blocks


def longest_comparison(records: Iterable[CellRecord]) -> timedelta | None:
    """The longest time that measuring all schemes at one point, in one repetition, took; None without several schemes."""
    compared: dict[tuple[str, int], list[CellRecord]] = defaultdict(list)
    for record in records:
        if record.is_result and record.started:
            # A variable that only names the scheme does not make another comparison.
            point = ",".join(f"{name}={plain(value)}" for name, value in record.parameters.items() if value != record.scheme)
            compared[point, record.repetition].append(record)
    spans = [max(_end(one) for one in those) - min(_start(one) for one in those) for those in compared.values() if len(those) > 1]
    return max(spans, default=None)


def _sources(records: Iterable[CellRecord]) -> list[str]:
    sources: dict[str, str] = {}
    for record in records:
        for key, source in record.facts.items():
            if key.startswith("congestion_control."):
                sources[key.partition(".")[2]] = source
    return [f"{scheme} ({source})" for scheme, source in sources.items()]


def _start(record: CellRecord) -> datetime:
    return datetime.fromisoformat(record.started)


def _end(record: CellRecord) -> datetime:
    return _start(record) + timedelta(seconds=record.took_s)


def _span(span: timedelta | None) -> str:
    if span is None:
        return MISSING
    return duration_text(span.total_seconds())
