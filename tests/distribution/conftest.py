"""The wheel of what is built here, and environments that it is installed in."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from distribution import wheel
from distribution.contents import COMMANDS
from tests.harness.switches import binaries


def alone() -> dict[str, str]:
    """An environment of the shell's with no other toolchain on PATH, and no packages of others."""
    without = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return {**without, "PATH": "/usr/bin:/bin"}


def environment_with(python: Path, folder: Path, *packages: str, network: bool = True) -> Path:
    """The folder of the programs of an empty environment in which these packages have been installed."""
    subprocess.run([python, "-m", "venv", folder], check=True, env=alone())
    options = ["--quiet", "--disable-pip-version-check", *([] if network else ["--no-index"])]
    subprocess.run([folder / "bin" / "pip", "install", *options, *packages], check=True, env=alone())
    return folder / "bin"


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
