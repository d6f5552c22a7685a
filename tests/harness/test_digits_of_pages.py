"""The tutorial shows the digits of README.md and docs/timing.md, which `make readme-digits` writes."""

from __future__ import annotations

import re

from tests.harness.switches import REPOSITORY

SCHEMES = ("nodectl", "reno", "cubic", "bbr")


def text(page: str) -> str:
    return (REPOSITORY / page).read_text(encoding="utf-8")


def row(page: str, scheme: str) -> list[str]:
    """The cells of a scheme's row in the page's first table that has one."""
    found = re.search(rf"^[|│] {scheme} .*", text(page), re.MULTILINE)
    assert found is not None
    return [cell.strip() for cell in re.split("[|│]", found[0])[1:-1]]


def checksums(page: str) -> dict[str, str]:
    return dict(re.findall(r"(\w+)\s+([0-9a-f]{16})\b", text(page)))


def test_the_first_run_shows_the_table_of_the_readme() -> None:
    for scheme in SCHEMES:
        shown = row("docs/tutorial/first-run.md", scheme)
        assert set(row("README.md", scheme)) <= set(shown), f"copy the row of {scheme} from a run"


def test_the_page_about_results_shows_the_published_checksums() -> None:
    published = checksums("docs/timing.md")
    assert set(published) == set(SCHEMES)
    assert checksums("docs/tutorial/read-a-result.md") == published
