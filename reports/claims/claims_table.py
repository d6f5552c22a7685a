"""A table of every claim of every paper: its verdict in a kept report, and its verdict by today's rules on the kept records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from reports.document.blocks import Table
from reports.overview import Measured
from reports.results import MISSING

LINE = re.compile(r"^- “(?P<text>.*?)” \(.*?(?:\*\*(?P<verdict>[a-z ]+)\*\*|: (?P<unjudged>not judged))", re.MULTILINE)
SECTION = re.compile(r"^## (.*)$", re.MULTILINE)
CAPTION = "Every claim; before: in the kept report; now: today's rules on the kept records. Known for: one by which the paper is known."
HEADER = ["claim", "the paper's words", "known for", "before", "now"]


def verdicts_in(report: str) -> dict[tuple[str, str], list[str]]:
    """The verdicts of a report in Markdown, in its order.

    Args:
        report: its text.

    Returns:
        The verdicts by title of the section and text of the claim; several claims of an experiment may have the same text.
    """
    found: dict[tuple[str, str], list[str]] = {}
    _, *parts = SECTION.split(report)
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        for line in LINE.finditer(body):
            found.setdefault((title, line["text"]), []).append(line["verdict"] or line["unjudged"])
    return found


def claims_table(papers: Iterable[Measured], before: Mapping[str, str]) -> Table:
    """The table.

    Args:
        papers: with the results that today's rules judge.
        before: the text of each paper's report, by its name; a paper may be missing.
    """
    return Table(CAPTION, HEADER, [row for one in papers for row in _rows(one, before.get(one.paper.name, ""))], left_columns=len(HEADER))


def _rows(one: Measured, report: str) -> Iterable[Sequence[str]]:
    before = {key: iter(verdicts) for key, verdicts in verdicts_in(report).items()}
    numbers: dict[str, int] = {}
    for experiment, judgement in one.judgements:
        number = numbers[experiment.name] = numbers.get(experiment.name, 0) + 1
        claim = judgement.claim
        old = next(before.get((experiment.title, claim.text), iter(())), MISSING)
        yield [
            f"{one.paper.name}/{experiment.name}/{number}",
            claim.text.replace("|", "\\|"),
            "yes" if claim.headline else "",
            old,
            str(judgement.status),
        ]
