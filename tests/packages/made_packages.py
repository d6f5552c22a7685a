"""The packages as `make wheel` and `make deb` make them."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.harness.switches import REPOSITORY


@cache
def made(target: str, processor: str) -> Path:
    """The package that a target of make's makes for a processor (the kernel's name); made anew if its sources have changed."""
    command = ["make", "--no-print-directory", target, f"PACKAGES_ARCH={processor}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    result = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        pytest.fail(f"make {target} failed:\n{result.stdout}{result.stderr}")
    return REPOSITORY / result.stdout.splitlines()[-1]
