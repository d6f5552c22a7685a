"""Proselint reads the pages: clichés, archaisms, words said twice, empty words."""

from __future__ import annotations

from pathlib import Path

import pytest
from proselint.checks import __register__ as all_checks
from proselint.config import DEFAULT, Config
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

from tests.harness.plain_english import paragraphs
from tests.harness.test_plain_english import PLAIN, name, text_of

LEFT_OUT = (
    "dates_times.dates.decade_apostrophes",  # takes "the 20's worth" of a number for a decade
    "typography.symbols.curly_quotes",  # code hosts show straight ones
    "typography.symbols.multiplication",  # takes 0x13 for a product
)
CHECKS: Config = {"max_errors": 100, "checks": DEFAULT["checks"]}


@pytest.fixture(scope="module", autouse=True)
def _checks_are_known() -> None:
    CheckRegistry().register_many(all_checks)


def remarks(text: str) -> list[str]:
    """The remarks on a page's text; code and tables are no text."""
    page = LintFile("page", content="\n\n".join(paragraphs(text)))
    found = [one.check_result for one in page.lint(CHECKS)]
    return [f"{one.check_path}: {one.message}" for one in found if one.check_path not in LEFT_OUT]


@pytest.mark.parametrize("page", PLAIN, ids=name)
def test_proselint_has_no_remark(page: Path) -> None:
    assert remarks(text_of(page)) == []


def test_remarks_are_found_in_text_alone() -> None:
    assert remarks("# A\n\nIt is very very good.\n\n    very good\n") != []
    assert remarks('# A\n\nIt is "good".\n\n    very very good\n') == []
