"""docs/tutorial/own-scenario.md, followed: its scenario, with the changes that it asks for, gives the tables that it shows."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

import testbed
from engine.collect.record import CellRecord, inputs_without_cells
from tests.harness.long_tests import only_long
from tests.harness.pages import Page
from tests.virtual_time.inside import needs_virtual_time
from tests.virtual_time.readme_digits import Digits, Pages

pytestmark = [needs_virtual_time, pytest.mark.timeout(600)]

PAGE = Page("tutorial/own-scenario.md")
(SCENARIO,) = PAGE.blocks("toml")
TABLES = [block.text for block in PAGE.blocks("text")]
RECEIVER_OF_B = 'receiver = "h4"\n'
STEPS = [
    (SCENARIO.text, None),
    (SCENARIO.text.replace("queue_packets = 170", "queue_packets = 34"), None),
    (SCENARIO.text.replace(RECEIVER_OF_B, f'{RECEIVER_OF_B}scheme = "cubic"\n'), ["bbr"]),
]


def shown(table: str) -> dict[str, list[str]]:
    """The rows of a table of the page: A, B and dropped of each scheme."""
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in table.splitlines()]
    return {row[0]: [row[1], row[2], row[4]] for row in rows[1:] if row[0] != "max-min fair"}


def measured(records: list[CellRecord]) -> dict[str, list[str]]:
    """The same of a run."""
    return {
        one.scheme: [f"{one.values['mean_mbps.A']:.2f}", f"{one.values['mean_mbps.B']:.2f}", f"{one.values['queue_drops']:.0f}"]
        for one in records
    }


def test_the_page_shows_the_changes_that_it_asks_for() -> None:
    assert len(TABLES) == len(STEPS) == len({text for text, _ in STEPS})
    assert SCENARIO.file == "far.toml"


@only_long
@pytest.mark.parametrize("number", [pytest.param(0, id="first"), pytest.param(1, id="shallow"), pytest.param(2, id="mixed")])
def test_the_tables_are_those_of_runs(number: int, tmp_path: Path) -> None:
    text, schemes = STEPS[number]
    file = tmp_path / SCENARIO.file
    file.write_text(text, encoding="utf-8")
    result = testbed.run(file, schemes=schemes, time="virtual", folder=tmp_path / "results")
    (inputs,) = inputs_without_cells(result.records)
    said = dict(re.findall(r"(\w+) ([0-9a-f]{12})", inputs))
    published = Digits.in_pages(Pages.read()).inputs
    if f"kernel {said['kernel']} and userland {said['userland']}" != published:
        warnings.warn(f"the page's digits are of {published}: not compared", stacklevel=1)
        return
    assert measured(result.records) == shown(TABLES[number])
