"""Virtual environments in which packages are installed, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def alone() -> dict[str, str]:
    """An environment of the shell's with no other toolchain on PATH, and no packages of others."""
    without = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return {**without, "PATH": "/usr/bin:/bin"}


def environment_with(python: Path, folder: Path, *packages: str, network: bool = True) -> Path:
    """The folder of the programs of an empty environment in which these packages have been installed."""
    # By the pip that is here: to unpack another takes longer than all the rest.
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True, env=alone())
    pip_install(folder / "bin", *([] if network else ["--no-index"]), *packages)
    return folder / "bin"


def pip_install(programs: Path, *words: str | Path) -> None:
    """``pip install`` with these words, for the environment whose programs are there."""
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", programs / "python", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", *words], check=True, env=alone())
