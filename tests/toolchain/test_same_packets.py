"""The lines that `python -m bench.same_packets` types at a prompt, and its reading of the answers."""

from __future__ import annotations

import pytest

from bench.same_packets.command_line import is_the_same
from bench.same_packets.session import Session, lines_of, said

TERMINAL_LINE = 4096
"""Characters that the kernel takes in one."""

TEXT = """nodectl 0.000 s> pingall
*** Results: 0% dropped (2/2 received)
nodectl 1.000 s> h1 python3 -c "..." h1 h2
sent 47
nodectl 9.000 s> h1 cat /tmp/h1.received
received 0a0b
received 0c
nodectl 9.000 s> h2 cat /tmp/h2.received
nodectl 9.000 s> h1 iperf -c h2 -p 80 -t 10
[  1] 0.0000-10.3500 sec  23.1 MBytes  19.1 Mbits/sec
nodectl 19.000 s> exit
"""


def test_what_a_session_says() -> None:
    assert said(TEXT) == Session({"h1": ["0a0b", "0c"], "h2": []}, 47, "0% dropped (2/2 received)", [19.1])


def test_lines_are_short_enough_for_a_terminal() -> None:
    lines = lines_of(["h1", "h2"], [("h1", "h2")], ["run 1s"])
    assert lines[0] == "run 1s"
    assert max(map(len, lines)) < TERMINAL_LINE


def test_what_differs_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    one, other, less = (Session({"h1": frames}, 3, "", []) for frames in (["0a", "0b"], ["0b", "0a"], ["0a"]))
    assert is_the_same("h1", one, one)
    assert is_the_same("h1", one, other)
    assert not is_the_same("h1", one, less)
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["h1: 2 frames, the same bytes", "h1: 2 frames, the same bytes, in another order"]
    assert told[2:4] == ["h1: 1 from embedded alone", "    0b"]
