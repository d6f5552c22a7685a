"""Virtual environments in which packages are installed, and nothing else."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


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
