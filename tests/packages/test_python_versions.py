"""The wheel in an empty environment of each Python that it says it is for."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from switch.packages.contents import REQUIRES_PYTHON
from tests.harness.long_tests import only_long
from tests.packages import sample
from tests.packages.environments import environment_with

VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
INSIDE = Path(__file__).with_name("inside.py")


def interpreter(version: str) -> Path:
    """A Python of this version, of the system's or pyenv's; skips the test if there is none."""
    found = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}"))
    system = shutil.which(f"python{version}", path="/usr/bin:/usr/local/bin")
    if not found and system is None:
        pytest.skip(f"Python {version} is not installed")
    return found[-1] if found else Path(str(system))


def test_the_oldest_one_is_tried() -> None:
    assert f">={VERSIONS[0]}" == REQUIRES_PYTHON
    assert all(version in SpecifierSet(REQUIRES_PYTHON) for version in VERSIONS)


@only_long
@pytest.mark.parametrize("version", VERSIONS)
def test_the_module_and_the_plugin(version: str, quick_wheel: Path, tmp_path: Path) -> None:
    environment = environment_with(interpreter(version), tmp_path / "environment", f"{quick_wheel}[test]")
    folder = tmp_path / "work"
    sample.write(folder)
    (folder / INSIDE.name).write_text(INSIDE.read_text())
    printed = subprocess.run([environment / "python", INSIDE.name], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert set(json.loads(printed)) == {"compile", "switch", "test"}
    # One test is wrong on purpose.
    result = subprocess.run([environment / "python", "-m", "pytest", "-q"], cwd=folder, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in result.stdout, result.stdout + result.stderr
