"""A user-mode kernel's demands on a machine: each unmet demand is one line, with its remedy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from virtual_time import host_check
from virtual_time.host_check import Unfit, memory_folder

FREE_BLOCKS = 1000
BLOCK_BYTES = 1 << 20


def test_this_machine_has_nothing_against_it() -> None:
    assert host_check.may_trace()
    assert host_check.why_unfit() is None


def test_a_program_whose_forks_end_by_themselves_may_trace() -> None:
    forks = "import os; os.register_at_fork(after_in_child=lambda: os._exit(9))"
    asks = "from virtual_time.host_check import may_trace; assert may_trace()"
    subprocess.run([sys.executable, "-c", f"{forks}; {asks}"], check=True)


def test_another_processor() -> None:
    found = host_check._processor("aarch64")
    assert found is not None
    assert "no user-mode Linux for aarch64 processors" in found.why


@pytest.mark.parametrize(("release", "is_fit"), [("4.4.0-210-generic", False), ("4.8.0", True), ("6.18.5", True), ("of nobody", True)])
def test_an_old_kernel(release: str, is_fit: bool) -> None:
    found = host_check._kernel(release)
    assert (found is None) == is_fit
    assert found is None or f"kernel is Linux {release}; at least 4.8 is needed" in found.why


def test_no_tracing() -> None:
    found = host_check._tracing(lambda: False)
    assert found is not None
    assert "ptrace" in found.why
    assert "SYS_PTRACE" in found.remedy
    assert "\n" not in found.why + found.remedy


def test_the_memory_inside_is_where_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full, small, cannot_run, roomy = (str(tmp_path / name) for name in ("full", "small", "cannot-run", "roomy"))
    states = {
        full: SimpleNamespace(f_bavail=0, f_frsize=BLOCK_BYTES, f_flag=0),
        small: SimpleNamespace(f_bavail=64, f_frsize=BLOCK_BYTES, f_flag=0),
        cannot_run: SimpleNamespace(f_bavail=FREE_BLOCKS, f_frsize=BLOCK_BYTES, f_flag=os.ST_NOEXEC),
        roomy: SimpleNamespace(f_bavail=FREE_BLOCKS, f_frsize=BLOCK_BYTES, f_flag=0),
    }
    for folder in states:
        Path(folder).mkdir()
    monkeypatch.setattr(os, "statvfs", lambda folder: states[folder])
    assert memory_folder([full, small, cannot_run, roomy]) == roomy
    found = memory_folder([full, small, cannot_run])
    assert isinstance(found, Unfit)
    assert f"{full} has 0 MB left; {small} has 64 MB left; {cannot_run} does not let programs run" in found.why


def test_a_folder_that_is_not_there() -> None:
    found = memory_folder(["/nonexistent"])
    assert isinstance(found, Unfit)
    assert "/nonexistent: No such file or directory" in found.why


def test_little_memory(tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text("MemTotal:  1000000 kB\nMemAvailable:   102400 kB\n")
    found = host_check._memory(tmp_path / "meminfo")
    assert found is not None
    assert "100 MB of memory left" in found.why
