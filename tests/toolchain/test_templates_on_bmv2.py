"""The packet tests of every template on BMv2, where it is on PATH: the embedded compiler's programs do there what they do here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from common.installation import BINARIES
from testbed.starting.catalogue import Template, templates
from testbed.starting.making import make_folder
from tests.harness.bmv2_switch import bmv2_or_skip


@pytest.mark.parametrize("template", templates(), ids=lambda one: one.name)
def test_a_templates_packets_come_out_of_bmv2_as_they_should(template: Template, tmp_path: Path) -> None:
    bmv2_or_skip()
    folder = tmp_path / template.name
    make_folder(folder, template)
    for test in folder.glob("*.stf"):
        command: list[str | Path] = [BINARIES / "p4test", "--switch", "bmv2", test.with_suffix(".p4"), test]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
