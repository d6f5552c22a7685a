"""The steps of docs/own-program.md that run something: the prompt, the measured run, a controller of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

import testbed
from tests.harness.checkout_page import save, type_commands
from tests.harness.long_tests import only_long
from tests.harness.pages import Page
from tests.virtual_time.inside import needs_virtual_time

pytestmark = [needs_virtual_time, only_long, pytest.mark.timeout(1200)]

PAGE = Page("own-program.md")


def test_what_runs(tmp_path: Path) -> None:
    save(PAGE.blocks(), tmp_path)
    for section in ("4. A look by hand", "5. A measured run"):
        type_commands(PAGE.blocks(section=section), tmp_path)
    for name in ("controlled", "alone"):
        result = testbed.run(tmp_path / "mine" / f"{name}.toml", schemes=["cubic"], time="virtual", folder=tmp_path / name)
        (record,) = result.records
        assert (record.values["mean_mbps.A"] or 0) > 9
    (log,) = (tmp_path / "controlled").rglob("controller.log")
    assert {"s1 has 2 routes", "s2 has 2 routes"} <= set(log.read_text().splitlines())
