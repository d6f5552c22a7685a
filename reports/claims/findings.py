"""Paragraphs of a paper's section that are computed from its results: each is left out where a value that it needs was not measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reports.claims.published import published_table
from reports.document.blocks import Block, Heading, Text
from reports.paper import Paper
from reports.results import Results


class MissingError(Exception):
    """A finding whose measurements are not there."""


class Values:
    """Means and published values that have to be there."""

    def __init__(self, results: Mapping[str, Results], paper: str) -> None:
        self._results, self._paper = results, paper

    def __call__(self, experiment: str, value: str, scheme: str, **where: Any) -> float:
        """A mean over the runs.

        Raises:
            MissingError: it was not measured.
        """
        found = self._results[experiment].mean(value, scheme, **where) if experiment in self._results else None
        if found is None:
            raise MissingError
        return found

    def text(self, experiment: str, value: str, scheme: str, form: str = ".1f", **where: Any) -> str:
        """A mean with half of its interval, as tables have it.

        Raises:
            MissingError: it was not measured.
        """
        self(experiment, value, scheme, **where)
        return self._results[experiment].text(value, scheme, form, where)

    def parameter(self, experiment: str, value: str, scheme: str, name: str) -> float:
        """A number of the grid in which all runs agree that have a value.

        Raises:
            MissingError: it was not measured, or they differ.
        """
        self(experiment, value, scheme)
        found = self._results[experiment].common_parameters(value, scheme, {}).get(name)
        if not isinstance(found, (int, float)):
            raise MissingError
        return found

    def published(self, table: str, row: str, scheme: str) -> float:
        """A value of the paper.

        Raises:
            MissingError: the paper has none.
        """
        found = published_table(f"{self._paper}/{table}").value(row, scheme)
        if found is None:
            raise MissingError
        return found


Finding = Callable[[Values], str]


def listed_findings(heading: str, intro: str, findings: Sequence[Finding], results: Mapping[str, Results], paper: Paper) -> list[Block]:
    """A section with a paragraph for each finding whose measurements are there; nothing without any."""
    lines = []
    for finding in findings:
        try:
            lines.append(f"- {finding(Values(results, paper.name))}")
        except MissingError:
            continue
    return [Heading(heading), Text(intro), Text("\n".join(lines))] if lines else []
