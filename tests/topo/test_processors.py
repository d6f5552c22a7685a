"""Processors that are kept awake: when, by what, and that it goes with whoever started it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from nodectl.errors import UserError
from topo import processors


@pytest.mark.parametrize(("flags", "expected"), [("fpu vme hypervisor lahf_lm", True), ("fpu vme lahf_lm", False), ("nohypervisor", False)])
def test_the_processors_say_whether_there_is_a_hypervisor(tmp_path: Path, flags: str, expected: bool) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"model name\t: X\nflags\t\t: {flags}\n\nmodel name\t: X\nflags\t\t: {flags}\n")
    assert processors.is_virtual(cpuinfo) is expected


def test_nothing_says_so(tmp_path: Path) -> None:
    assert not processors.is_virtual(tmp_path / "none")


@pytest.mark.parametrize(
    ("choice", "virtual", "expected"), [("yes", False, True), ("no", True, False), ("auto", True, True), ("", False, False)]
)
def test_the_choice(monkeypatch: pytest.MonkeyPatch, choice: str, virtual: bool, expected: bool) -> None:
    monkeypatch.setenv(processors.CHOICE, choice)
    monkeypatch.setattr(processors, "is_virtual", lambda: virtual)
    assert processors.are_to_be_kept_awake() is expected


def test_a_choice_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(processors.CHOICE, "maybe")
    with pytest.raises(UserError, match=r"NODECTL_KEEP_AWAKE is 'maybe'\n.*yes, no or auto"):
        processors.are_to_be_kept_awake()


def test_what_keeps_them_awake_ends_with_its_standard_input() -> None:
    with subprocess.Popen(processors.KEEP_AWAKE_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == b'{"event":"ready"}\n'
        assert child.poll() is None
        child.stdin.close()
        assert child.wait(timeout=10) == 0
