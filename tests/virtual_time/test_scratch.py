"""Temporary folders: nobody takes one that is in use for one that was left, and those that were left go."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

import pytest

from virtual_time.scratch import NEW_PREFIX, PREFIX, remove_left_over, scratch_folder

SIDE_BY_SIDE = 4
TIMES = 400
MOST_OFTEN_S = 1e-6
"""Threads take turns as often as they can."""


def test_it_is_gone_afterwards(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as folder:
        (folder / "file").touch()
        remove_left_over(tmp_path)
        assert (folder / "file").exists()
    assert list(tmp_path.iterdir()) == []


def test_those_of_who_was_killed_go(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from virtual_time.scratch import scratch_folder\n"
        "with scratch_folder(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(PREFIX)
    (tmp_path / f"{NEW_PREFIX}of-who-had-no-time-to-lock-it").mkdir()
    (tmp_path / "nodectl-of-somebody-else").mkdir()
    remove_left_over(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["nodectl-of-somebody-else"]


def test_many_side_by_side_whatever_the_clock_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is years ahead of the files' made every new folder look like one that was left."""
    monkeypatch.setattr(time, "time", lambda: 2e9)

    def use(parent: Path) -> None:
        with scratch_folder(parent) as folder:
            (folder / "file").touch()
            time.sleep(0)
            assert (folder / "file").exists()

    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(MOST_OFTEN_S)
    try:
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            list(pool.map(use, repeat(tmp_path, TIMES)))
    finally:
        sys.setswitchinterval(usual_s)
    assert list(tmp_path.iterdir()) == []
