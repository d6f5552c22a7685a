"""The wheel of the commands that are built here, and environments that it is installed in."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from switch.packages import wheel
from switch.packages.contents import COMMANDS
from tests.harness.switches import binaries
from tests.packages.environments import environment_with


@pytest.fixture(scope="session")
def stripped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands without their debug information, which is most of them."""
    folder = tmp_path_factory.mktemp("stripped")
    for command in COMMANDS:
        subprocess.run(["strip", "-o", folder / command, binaries() / command], check=True)
    return folder


@pytest.fixture(scope="session")
def quick_wheel(stripped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, of commands that this machine's linker made."""
    return wheel.write(stripped, f"linux_{platform.machine()}", tmp_path_factory.mktemp("wheel"), binaries())


@pytest.fixture(scope="session")
def environment(quick_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a virtual environment in which nothing else is installed."""
    return environment_with(Path(sys.executable), tmp_path_factory.mktemp("environment") / "venv", str(quick_wheel), network=False)
