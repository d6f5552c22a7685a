"""The site of docs/, built for tests."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.harness.switches import REPOSITORY

SITE = REPOSITORY / "docs" / "site"
CONFIGURATION = SITE / "mkdocs.yml"
NO_MKDOCS = find_spec("mkdocs") is None or not (SITE / "node_modules").exists()
needs_mkdocs = pytest.mark.skipif(NO_MKDOCS, reason="MkDocs is not installed (`make docs-ready`): the site is NOT built")


def build_site(folder: Path) -> None:
    """Build it, as `make docs` does.

    Raises:
        AssertionError: there is a warning.
    """
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(CONFIGURATION), "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
