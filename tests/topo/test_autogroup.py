"""Sessions are preferred where the kernel groups processes by session, and left alone elsewhere."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from topo.autogroup import prefer_session


def test_a_session_gets_its_nice_value() -> None:
    if not Path("/proc/self/autogroup").exists() or os.geteuid() != 0:
        pytest.skip("no autogroups here, or not root: sessions are NOT preferred")
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        prefer_session(child.pid, -10)
        assert Path(f"/proc/{child.pid}/autogroup").read_text().split()[-1] == "-10"
    finally:
        child.kill()
        child.wait()


def test_without_autogroups_nothing_happens(tmp_path: Path) -> None:
    prefer_session(1, -10, tmp_path)
    assert not list(tmp_path.iterdir())
