"""Python packages for another machine than this: for Linux on x86-64, and for the Python there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from common.errors import UserError

PLATFORMS = ("manylinux_2_17_x86_64", "manylinux_2_27_x86_64", "manylinux_2_28_x86_64")


def install(needs: Sequence[str], folder: Path, python: str) -> None:
    """Have pip install packages with all that they need into a folder, without running anything of them.

    Args:
        needs: as pip takes them: names with versions, or wheels.
        python: its version there, such as 3.11.

    Raises:
        UserError: they cannot be had.
    """
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--no-warn-conflicts"]
    command += ["--root-user-action", "ignore"]
    command += ["--target", str(folder), "--only-binary=:all:", "--implementation", "cp", "--python-version", python]
    for platform in PLATFORMS:
        command += ["--platform", platform]
    if subprocess.run([*command, *needs], check=False).returncode != 0:
        raise UserError("pip does not get the Python packages for Linux; its messages are above")
