"""`xterm` at a prompt in real time: windows of tmux, which go with the prompt."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from common.errors import UserError
from engine.execute.prompt_windows import Windows, is_there


@pytest.fixture(autouse=True)
def _outside_tmux(monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_there():
        pytest.skip("tmux is not installed")
    monkeypatch.delenv("TMUX", raising=False)


def names(server: list[str]) -> list[str]:
    listed = subprocess.run(["tmux", *server, "list-windows", "-a", "-F", "#W"], capture_output=True, text=True, check=False)
    return sorted(listed.stdout.split())


def test_windows_go_with_the_prompt(tmp_path: Path) -> None:
    windows, server = Windows(tmp_path), ["-S", str(tmp_path / "tmux")]
    said = windows.open("h1", ["cat"])
    windows.open("h2", ["cat"])
    try:
        assert said == f"h1: a window of tmux; in another terminal: tmux {' '.join(server)} attach"
        assert names(server) == ["h1", "h2"]
    finally:
        windows.close()
    assert names(server) == []


def test_a_command_that_ends_takes_its_window_with_it(tmp_path: Path) -> None:
    windows = Windows(tmp_path)
    windows.open("h1", ["true"])
    windows.close()


def test_what_tmux_refuses_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMUX", "/nowhere/socket,1,0")
    with pytest.raises(UserError, match=r"^tmux: "):
        Windows(tmp_path).open("h1", ["cat"])
