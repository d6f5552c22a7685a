"""Windows of hosts beside a prompt in virtual time: lines that come from them, and lines that are shown in them. A pipe stands for tmux."""

from __future__ import annotations

import select
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import pytest

from testbed import host_windows
from testbed.host_windows import HostWindows
from tests.harness.switches import REPOSITORY
from tests.harness.waiting import LIMIT_S


class Pipes:
    """In the place of tmux."""

    opened: list[subprocess.Popen[str]]

    def __init__(self, _folder: Path) -> None:
        Pipes.opened = []

    def open(self, name: str, command: Sequence[str]) -> str:
        """Start the program that would run in a window."""
        pipes = subprocess.PIPE
        Pipes.opened.append(subprocess.Popen(list(command), cwd=REPOSITORY, stdin=pipes, stdout=pipes, text=True, bufsize=0))
        return f"{name} is open"

    def close(self) -> None:
        """End them."""
        for one in Pipes.opened:
            one.kill()
            one.communicate()


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostWindows]:
    monkeypatch.setattr(host_windows, "Windows", Pipes)
    monkeypatch.setattr(host_windows, "is_there", lambda: True)
    made = HostWindows()
    yield made
    made.close()


def shown(stream: IO[str] | None, length: int) -> str:
    assert stream is not None
    return stream.read(length)


def test_lines_come_from_a_window_and_what_is_said_goes_there(windows: HostWindows, capsys: pytest.CaptureFixture[str]) -> None:
    assert windows.wakes is None, "nobody has to be waited for"
    windows.open(["h1"])
    assert capsys.readouterr().out == "h1 is open\n"
    (client,) = Pipes.opened
    assert shown(client.stdout, 4) == "h1# "
    assert client.stdin is not None
    client.stdin.write("ping h2\n")
    assert windows.wakes is not None
    assert select.select([windows.wakes], [], [], LIMIT_S)[0], "it wakes the prompt"
    assert windows.next_line() == "window h1 ping h2"
    assert windows.next_line() is None
    windows.show({"host": "h1", "text": "64 bytes\n"})
    windows.show({"host": "h1", "status": 0})
    assert shown(client.stdout, 13) == "64 bytes\nh1# "
    assert capsys.readouterr().out == ""


def test_without_a_window_the_hosts_name_stands_before_each_line(windows: HostWindows, capsys: pytest.CaptureFixture[str]) -> None:
    windows.show({"host": "h3", "text": "a\nb"})
    windows.show({"host": "h3", "text": "c\n"})
    windows.show({"host": "h3", "text": "rest"})
    windows.show({"host": "h3", "status": 3})
    assert capsys.readouterr().out == "h3| a\nh3| bc\nh3| rest\nh3| ended: 3\n"


def test_without_tmux_a_line_says_what_else_there_is(
    windows: HostWindows, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(host_windows, "is_there", lambda: False)
    windows.open(["h1"])
    assert "window h1 COMMAND" in capsys.readouterr().out
    assert windows.wakes is None
