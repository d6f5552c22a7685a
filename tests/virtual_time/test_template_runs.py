"""Every template, checked whole: `testbed new`, then `testbed check` with its run."""

from __future__ import annotations

from pathlib import Path

import pytest

from testbed.checking.finding import Finding, Verdict
from testbed.checking.folder_check import check_folder
from testbed.starting.catalogue import Template, templates
from testbed.starting.making import make_folder
from tests.harness.long_tests import only_long
from tests.virtual_time.inside import needs_virtual_time

pytestmark = [needs_virtual_time, pytest.mark.timeout(900)]

BAR = "bar"
USUAL = ("controller",)
"""Checked by `make test`; the others take as long."""


@pytest.mark.parametrize("template", [pytest.param(one, id=one.name, marks=() if one.name in USUAL else only_long) for one in templates()])
def test_a_template_comes_to_what_its_bars_say(template: Template, tmp_path: Path) -> None:
    folder = tmp_path / template.name
    make_folder(folder, template)
    found: list[Finding] = []
    passed = check_folder(folder, found.append)
    assert passed, "\n".join(map(str, found))
    assert {one.verdict for one in found} == {Verdict.PASSED}
    assert sum(one.what == BAR for one in found) == (folder / "run.toml").read_text().count("[[bars]]") >= 1
