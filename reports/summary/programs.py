"""The table of a run of ordinary programs: their times, the lost packets, the largest queue."""

from __future__ import annotations

from collections.abc import Iterable

from engine.collect.record import ProgramEnd
from reports.document.blocks import Table
from reports.results import MISSING, Results, spread
from reports.summary.scheme_rows import scheme_rows
from scenario.file import Point
from scenario.scenario import Scenario

COLUMNS = (
    ("done", "programs_complete", ".0f"),
    ("least, s", "programs_took_least_s", ".3f"),
    ("median, s", "programs_took_median_s", ".3f"),
    ("most, s", "programs_took_most_s", ".3f"),
    ("dropped", "queue_drops", ".0f"),
    ("largest queue", "largest_queue_packets", ".0f"),
)
"""Header, value of the record, format."""

MOST_LETTERS = 120
"""The most that is shown of a line that a program said."""


def program_table(results: Results, point: Point, scenario: Scenario) -> Table:
    """The table of one point: a row for each scheme, times in seconds, queues in packets."""
    count = sum(program.count for program in scenario.programs if program.listens_on is None)
    caption = (
        f"how long the programs took from start to end, of {count}; dropped: packets, by the links' queues; "
        "largest queue: packets, seen at any of the links"
    )
    return scheme_rows(COLUMNS, results, point, scenario, caption)


def program_ends_table(results: Results, point: Point, scenario: Scenario) -> list[Table]:
    """How each program ended, with the last lines that it printed; several of one kind that ended alike share a row."""
    rows = []
    for scheme in scenario.run.schemes:
        for record in results.select(scheme, point, failed=True):
            for program in scenario.programs:
                alike: dict[str, list[tuple[str, ProgramEnd]]] = {}
                for name in program.names:
                    if (ended := record.programs.get(name)) is not None:
                        alike.setdefault(ended.how, []).append((name, ended))
                rows += [[scheme, *_row(of_kind)] for of_kind in alike.values()]
    caption = "how the programs ended: FAILED makes the run fail, unless the program may_fail"
    return [Table(caption, ["scheme", "program", "host", "ended", "took, s", "its last lines"], rows, left_columns=6)] if rows else []


def _row(ended: list[tuple[str, ProgramEnd]]) -> list[str]:
    names, ends = [name for name, _ in ended], [one for _, one in ended]
    first = ends[0]
    shown = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)})"
    return [shown, first.host, f"FAILED: {first.how}" if first.has_failed else first.how, _took(ends), _said(first)]


def _took(ends: Iterable[ProgramEnd]) -> str:
    found = spread(one.took_s for one in ends)
    return found.text(".3f") if found else MISSING


def _said(ended: ProgramEnd) -> str:
    """All kept lines of a program that failed, the last line of another one."""
    lines = [line if len(line) <= MOST_LETTERS else f"{line[:MOST_LETTERS]} …" for line in ended.said.splitlines()]
    return "\n".join(lines if ended.has_failed else lines[-1:])
